// A C++ file that launches.
#include <cuda_runtime.h>
__global__ void elsewhere(int* x);
void start(int* x) { cudaLaunchKernel((const void*)elsewhere, dim3(1), dim3(32), nullptr, 0, 0); }
