// What the emulator finds in kernels that are wrong, one fault each; what it says stands in faults.said.
#include <cuda_runtime.h>

__global__ void writes_one_too_many(float* a, int n) {
  int i = threadIdx.x;
  if (i <= n) a[i] = i;
}
__global__ void reads_before_the_barrier(float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void last_element_is_never_written(float* out) {
  __shared__ float s[64];
  if (threadIdx.x < 63) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void shared_index_too_large(float* out) {
  __shared__ float s[64];
  s[threadIdx.x + 1] = 1;
  s[0] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void reads_what_nobody_copied(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void mask_without_the_upper_half(float* out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffu, static_cast<float>(threadIdx.x), 1);
}
__global__ void uses_after_free(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
  float *a, *b, *freed;
  cudaMalloc(&a, 64 * sizeof(float));
  cudaMalloc(&b, 64 * sizeof(float));
  cudaMalloc(&freed, 64 * sizeof(float));
  cudaMemset(freed, 0, 64 * sizeof(float));
  writes_one_too_many<<<1, 128>>>(a, 64);
  reads_before_the_barrier<<<1, 64>>>(a);
  last_element_is_never_written<<<1, 64>>>(a);
  shared_index_too_large<<<1, 64>>>(a);
  reads_what_nobody_copied<<<1, 64>>>(b, a);
  mask_without_the_upper_half<<<1, 32>>>(a);
  cudaFree(freed);
  uses_after_free<<<1, 64>>>(freed, a);
  return 0;
}
