// Where a thread stands. The emulator sets these before it goes on with a thread.
#pragma once

#include "vector_types.h"

#ifdef __CUDA__
extern "C" {
extern __device__ const uint3 threadIdx;
extern __device__ const uint3 blockIdx;
extern __device__ const dim3 blockDim;
extern __device__ const dim3 gridDim;
}
constexpr int warpSize = 32;
#endif
