// Refused: TQP2024
#include <cuda_pipeline.h>
__global__ void copy_pipeline(const float* x, float* y) {
  __shared__ float tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = tile[63 - threadIdx.x];
}
void run(const float* x, float* y) { copy_pipeline<<<1, 64>>>(x, y); }
