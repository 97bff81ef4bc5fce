#include "check.h"
#include <cuda_fp16.h>

__device__ unsigned long long total;
__constant__ int table[4];
struct Pair {
  int a;
  double b;
};

__global__ void all_of_them(int* out, int) {
  atomicAdd(&out[0], 1);
  atomicSub(&out[1], 2);
  atomicMin(&out[2], -(int)threadIdx.x);
  atomicMax(&out[3], (int)threadIdx.x);
  atomicOr(&out[4], 1 << threadIdx.x % 32);
  atomicXor(&out[5], 3);
  atomicInc((unsigned*)&out[6], 9);
  atomicDec((unsigned*)&out[7], 9);
  atomicAdd((float*)&out[8], 0.5f);
  atomicAdd(&total, 1ull);
  int old = out[9], seen;
  do {
    seen = old;
    old = atomicCAS(&out[9], seen, seen + 3);
  } while (old != seen);
  atomicAdd((__half*)&out[10], __float2half(1.0f));
}
// Adding nothing lets other threads go on, and loses none of what they add.
__global__ void mostly_nothing(int* out, int) {
  for (int i = 0; i < 200; ++i) atomicAdd(&out[0], (i + (int)threadIdx.x) % 4 == 0);
}
// A lock, and a last block that sums: threads that wait let others go on.
__device__ int lock_word, blocks_done;
__global__ void last_block_sums(int* out, int) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock_word, 0, 1) != 0) {
    }
    out[blockIdx.x + 1] = blockIdx.x;
    __threadfence();
    atomicExch(&lock_word, 0);
    if (atomicAdd(&blocks_done, 1) == gridDim.x - 1) {
      int sum = 0;
      for (unsigned b = 0; b < gridDim.x; ++b) sum += out[b + 1];
      out[0] = sum;
    }
  }
}
template <class T, class F>
__global__ void arguments(T* out, F f, Pair pair, char c, float3 v, bool flag, short s) {
  out[0] = f(pair.a) + pair.b + c + v.x + v.y + v.z + flag + s + table[2];
}
struct Twice {
  __device__ int operator()(int x) const { return 2 * x; }
};
extern __shared__ float dynamic[];
__global__ void dynamic_shared(float* out, int n) {
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = dynamic[n - 1 - threadIdx.x];
}

int main() {
  int* a = run<int>(all_of_them, 1, 64, 16);
  CHECK(a[0] == 64 && a[1] == -128 && a[2] == -63 && a[3] == 63 && a[4] == -1 && a[5] == 0);
  CHECK(a[6] == 4 && a[7] == 6 && *(float*)&a[8] == 32.0f && a[9] == 192);
  CHECK((float)*(__half*)&a[10] == 64.0f);
  unsigned long long t = 0;
  CHECK(cudaMemcpyFromSymbol(&t, total, sizeof t) == cudaSuccess && t == 64);
  CHECK(run<int>(mostly_nothing, 3, 64, 1)[0] == 3 * 64 * 50);
  CHECK(run<int>(last_block_sums, 8, 32, 9)[0] == 28);
  const int numbers[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(table, numbers, sizeof numbers) == cudaSuccess);
  double* d;
  cudaMalloc(&d, sizeof *d);
  arguments<<<1, 1>>>(d, Twice(), Pair{5, 0.25}, (char)3, make_float3(1, 2, 4), true, (short)-2);
  double r = 0;
  cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost);
  CHECK(r == 10 + 0.25 + 3 + 7 + 1 - 2 + 3);
  const float* s = run<float>(dynamic_shared, 1, 40, 40, 160);
  for (int i = 0; i < 40; ++i) CHECK(s[i] == 39 - i);
  dynamic_shared<<<1, 2000>>>((float*)d, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  CHECK(cudaMemcpy(d, numbers, 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  return failures;
}
