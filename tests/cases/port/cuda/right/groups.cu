#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <mma.h>

namespace cg = cooperative_groups;

__global__ void tiles(int* out, int) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto eight = cg::tiled_partition<8>(block);
  const int t = block.thread_rank();
  out[t] = cg::reduce(warp, t, cg::plus<int>());
  out[64 + t] = cg::reduce(eight, t, cg::greater<int>());
  out[128 + t] = cg::inclusive_scan(warp, 1) * 100 + (int)eight.meta_group_rank();
  out[192 + t] = eight.shfl(t, 2);
  block.sync();
  if (t % 3 == 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    out[256 + t] = (int)(active.size() * 100 + active.thread_rank());
  }
}
__global__ void grid_sum(int* out, int n) {
  const cg::grid_group grid = cg::this_grid();
  __shared__ int kept;
  if (threadIdx.x == 0) kept = blockIdx.x + 1;
  out[grid.thread_rank()] = 1;
  grid.sync();
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += out[i];
  grid.sync();
  out[grid.thread_rank()] = sum * 100 + kept;
}
__global__ void cub_block(int* out, int) {
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Reduce::TempStorage reduce_storage;
  __shared__ typename Scan::TempStorage scan_storage;
  const int sum = Reduce(reduce_storage).Sum((int)threadIdx.x);
  int before = 0;
  Scan(scan_storage).ExclusiveSum(2, before);
  out[threadIdx.x] = before + (threadIdx.x == 0 ? sum : 0);
}
__global__ void multiply(float* c, int) {
  using namespace nvcuda::wmma;
  __shared__ __half a[256], b[256];
  for (int i = threadIdx.x; i < 256; i += 32) {
    a[i] = __half(i % 7);
    b[i] = __half(i % 5 - 2);
  }
  __syncwarp();
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 1.0f);
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, b, 16);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(c, fc, 16, mem_row_major);
}

int main() {
  const int* t = run<int>(tiles, 1, 64, 320);
  for (int i = 0; i < 64; ++i) {
    CHECK(t[i] == (i < 32 ? 496 : 1520));
    CHECK(t[64 + i] == i / 8 * 8 + 7);
    CHECK(t[128 + i] == (i % 32 + 1) * 100 + i / 8);
    CHECK(t[192 + i] == i / 8 * 8 + 2);
    if (i % 3 == 0) CHECK(t[256 + i] == (i < 32 ? 1100 + i / 3 : 1100 + (i - 33) / 3));
  }
  int n = 96;
  int* g;
  cudaMalloc(&g, n * sizeof(int));
  void* arguments[] = {&g, &n};
  CHECK(cudaLaunchCooperativeKernel(grid_sum, 3, 32, arguments) == cudaSuccess);
  int h[96];
  cudaMemcpy(h, g, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 96; ++i) CHECK(h[i] == 9600 + i / 32 + 1);
  CHECK(cudaLaunchCooperativeKernel(grid_sum, 3000, 1024, arguments) == cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  const int* c = run<int>(cub_block, 1, 128, 128);
  for (int i = 0; i < 128; ++i) CHECK(c[i] == 2 * i + (i == 0 ? 8128 : 0));
  const float* m = run<float>(multiply, 1, 32, 256);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float sum = 1;
      for (int k = 0; k < 16; ++k) sum += (float)((i * 16 + k) % 7) * (float)((j * 16 + k) % 5 - 2);
      CHECK(m[i * 16 + j] == sum);
    }
  return failures;
}
