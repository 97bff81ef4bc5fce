// CUB's operations of a block and of a warp.
#include <cub/cub.cuh>

__global__ void cub_sum(const float* in, float* out, int n) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  float mine = 0.f;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) mine += in[i];
  const float all = Reduce(storage).Sum(mine);
  if (threadIdx.x == 0) out[blockIdx.x] = all;
}

struct Larger {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
__global__ void cub_largest(const int* in, int* out, int n) {
  typedef cub::BlockReduce<int, 64> Reduce;
  __shared__ Reduce::TempStorage storage;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int top = Reduce(storage).Reduce(i < n ? in[i] : -2147483647, Larger());
  if (threadIdx.x == 0) out[blockIdx.x] = top;
}

__global__ void cub_places(const int* keep, int* place, int* counts) {
  using Scan = cub::BlockScan<int, 96>;
  __shared__ typename Scan::TempStorage storage;
  const int i = blockIdx.x * 96 + threadIdx.x;
  int before, total;
  Scan(storage).ExclusiveSum(keep[i] > 0 ? 1 : 0, before, total);
  place[i] = before;
  if (threadIdx.x == 95) counts[blockIdx.x] = total;
}

__global__ void cub_running(const float* in, float* out, int n) {
  using Scan = cub::BlockScan<float, 128>;
  __shared__ typename Scan::TempStorage storage;
  const int i = blockIdx.x * 128 + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  Scan(storage).InclusiveSum(v, v);
  if (i < n) out[i] = v;
}

__global__ void cub_warp_sum(const float* in, float* out) {
  using Reduce = cub::WarpReduce<float>;
  __shared__ typename Reduce::TempStorage storage[4];
  const int warp = threadIdx.x / 32;
  const float all = Reduce(storage[warp]).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[blockIdx.x * 4 + warp] = all;
}

void run(const float* in, float* out, const int* k, int* o, int n) {
  cub_sum<<<6, 128>>>(in, out, n);
  cub_largest<<<(n + 63) / 64, 64>>>(k, o, n);
  cub_places<<<n / 96, 96>>>(k, o, o);
  cub_running<<<(n + 127) / 128, 128>>>(in, out, n);
  cub_warp_sum<<<n / 128, 128>>>(in, out);
}
