// printf and assert: taken out, and what they stood in stays whole.
#include <cassert>
#include <cstdio>

__global__ void says_its_block(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) printf("block %d of %d\n", blockIdx.x, gridDim.x);
  if (i < n) out[i] = in[i] + 1.f;
}

__global__ void asserts_its_index(const int* index, const float* table, float* out, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  assert(index[i] >= 0 && index[i] < rows);
  out[i] = table[index[i]];
}

// The only statement of a branch and of a loop's body; the value that is printed is counted besides.
__global__ void only_prints(const int* in, int* out, int n, int loud) {
  int seen = 0;
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    if (loud)
      printf("%d: %d\n", k, in[k]);
    else if (in[k] > 1000000)
      printf("large\n");
    ++seen;
  }
  out[threadIdx.x] = seen;
}

__global__ void checked_sum(const float* in, float* out, int n) {
  __shared__ float s[64];
  assert(blockDim.x == 64);
  s[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0.f;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    assert(half < 64);
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    printf("sum %f\n", s[0]);
    out[0] = s[0];
  }
}

void run(const float* in, float* out, const int* k, int* o, int n) {
  says_its_block<<<(n + 255) / 256, 256>>>(in, out, n);
  asserts_its_index<<<(n + 127) / 128, 128>>>(k, in, out, n, 100);
  only_prints<<<1, 32>>>(k, o, n, 0);
  checked_sum<<<1, 64>>>(in, out, n);
}
