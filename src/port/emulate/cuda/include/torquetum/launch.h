// What Clang writes in place of kernel<<<…>>>(…), and what it registers when the program starts.
#pragma once

#include "vector_types.h"

#ifdef __CUDA__
struct CUstream_st;
extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0, struct CUstream_st* stream = 0);
int __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
}
#endif
