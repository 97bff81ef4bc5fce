// CHECK counts what is wrong and says where; main of each program returns the count.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>

static int failures = 0;
#define CHECK(condition)                                        \
  do {                                                          \
    if (!(condition)) {                                         \
      ++failures;                                               \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
    }                                                           \
  } while (0)

// The results of a kernel<<<grid, block, shared>>>(out, n): n values, zero before.
template <class T, class Kernel>
T* run(Kernel kernel, dim3 grid, dim3 block, int n, size_t shared = 0) {
  T* device;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemset(device, 0, n * sizeof(T));
  kernel<<<grid, block, shared>>>(device, n);
  T* host = new T[n];
  CHECK(cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
  cudaFree(device);
  return host;
}
