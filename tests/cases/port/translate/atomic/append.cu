// A place is taken once and used twice.
__global__ void append_large(const float* in, int* count, float* value, int* place, float limit) {
  __shared__ float sum[1];
  if (threadIdx.x == 0) sum[0] = 0.f;
  __syncthreads();
  atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x] > limit ? 1.f : 0.f);
  __syncthreads();
  if (threadIdx.x == 0) {
    if (sum[0] > 4.f) {
      const int at = atomicAdd(count, 1);
      value[at] = in[blockIdx.x * blockDim.x];
      place[at] = blockIdx.x;
    }
  }
}

// Two kernels of one name.
__global__ void shifted(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.f;
}
__global__ void shifted(float* x, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}

// What a pointer to dynamic shared memory is made of.
__global__ void halves(const float* in, float* out, int n) {
  extern __shared__ float all[];
  float* lower = all;
  float* upper = &all[blockDim.x];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    lower[threadIdx.x] = in[i];
    upper[threadIdx.x] = 2.f * in[i];
  }
  __syncthreads();
  if (i < n) out[i] = lower[threadIdx.x] + upper[threadIdx.x];
}

void run(const float* in, int* count, float* value, int* place, float* x, int n) {
  append_large<<<6, 64>>>(in, count, value, place, 1.f);
  shifted<<<(n + 127) / 128, 128>>>(x, n);
  shifted<<<(n + 127) / 128, 128>>>(x, n, 2.f);
  halves<<<(n + 127) / 128, 128, 256 * sizeof(float)>>>(in, x, n);
}
