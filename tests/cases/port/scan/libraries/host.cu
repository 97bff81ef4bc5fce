// Calls of libraries, whose headers are not here: they are found by their words.
#include <cuda_runtime.h>

#define CHECK(call) if ((call) != cudaSuccess) exit(1)

int main() {
  float *x, *y;
  CHECK(cudaMalloc(&x, 1024));
  CHECK(cudaMalloc((void**)&y, 1024));
  cudaMemcpyAsync(y, x, 1024, cudaMemcpyDeviceToDevice, 0);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, x, x, 8, y, 8, x, y, 8);
  cudnnConvolutionForward(0, 0, 0, 0);
  cufftExecC2C(0, 0, 0, 0);
  curandGenerateUniform(0, x, 8);
  cusolverDnSgesvd(0);
  cusparseSpMV(0);
  ncclAllReduce(x, y, 8, ncclFloat, ncclSum, 0, 0);
  thrust::device_vector<float> v(8);
  thrust::sort(v.begin(), v.end());
  size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, x, y, 8);
  cuCtxSynchronize();
  cudaDeviceSynchronize();
}
