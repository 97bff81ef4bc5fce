// What the translation changes, or leaves for a person: a kernel each.
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>
#include <fragments.h>

__device__ int calls;

__global__ void early_return(float* x, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  x[i] = s[threadIdx.x ^ 1];
}

__global__ void doubles(double* x) { x[threadIdx.x] *= 2.0; }
__global__ void a_literal_too_wide(float* x) { x[threadIdx.x] = x[threadIdx.x] * 0.5; }
__global__ void a_literal_at_once_narrowed(float* x) { x[threadIdx.x] = 0.5; }

__global__ void talks(int* x) {
  assert(x[0] > 0);
  printf("%f\n", 1.0f * x[threadIdx.x]);
}

__global__ void sums(float* sum, const float* x) { atomicAdd(sum, x[threadIdx.x]); }

__device__ void last_warp(volatile float* s, int t) {
  s[t] += s[t + 16];
  s[t] += s[t + 8];
}
__global__ void in_step(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) last_warp(s, threadIdx.x);
  if (threadIdx.x == 0) x[0] = s[0];
}

__global__ void counts_itself(int* x) { x[0] = calls; }
__global__ void timed(long long* x) { x[threadIdx.x] = clock64(__global__ void fragments(float* c, const half* a, const half* b) {
  nvcuda::wmma::fragment fa, fb, fc;
  nvcuda::wmma::load_matrix_sync(fa, a, 16);
  nvcuda::wmma::load_matrix_sync(fb, b, 16);
  nvcuda::wmma::mma_sync(fc, fa, fb, fc);
  nvcuda::wmma::store_matrix_sync(c, fc, 16);
}
