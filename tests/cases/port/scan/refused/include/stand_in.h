// As little of the libraries for kernels as this case needs, so that it does not depend on what Torquetum's own headers hold.
#pragma once
namespace cooperative_groups {
struct grid_group {
  __device__ void sync();
};
struct cluster_group {
  __device__ void sync();
};
__device__ grid_group this_grid();
__device__ cluster_group this_cluster();
}  // namespace cooperative_groups

__device__ void __pipeline_memcpy_async(void* to, const void* from, unsigned long bytes);
__device__ void __pipeline_commit();

struct curandState {
  int at;
};
__device__ void curand_init(int seed, int sequence, int offset, curandState* state);
__device__ float curand_uniform(curandState* state);
