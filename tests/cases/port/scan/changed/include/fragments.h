// As little of mma.h as this case needs, so that it does not depend on what Torquetum's own headers hold.
#pragma once
#include <cuda_fp16.h>
namespace nvcuda::wmma {
struct fragment {
  float held[8];
};
__device__ void load_matrix_sync(fragment& f, const half* from, unsigned stride);
__device__ void mma_sync(fragment& d, const fragment& a, const fragment& b, const fragment& c);
__device__ void store_matrix_sync(float* to, const fragment& f, unsigned stride);
}  // namespace nvcuda::wmma
