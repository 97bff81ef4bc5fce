// Warp operations with full and partial masks and widths, against values worked out by hand. Prints what differs.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void operations(int* out) {
  const int lane = threadIdx.x;
  const unsigned all = 0xffffffffu;
  int* row = out + lane * 16;
  row[0] = __shfl_sync(all, lane * 10, 5);
  row[1] = __shfl_up_sync(all, lane, 3);
  row[2] = __shfl_down_sync(all, lane, 4, 8);
  row[3] = __shfl_xor_sync(all, lane, 16);
  row[4] = __shfl_sync(all, lane, 1, 4);
  row[5] = static_cast<int>(__ballot_sync(all, lane % 3 == 0));
  row[6] = __any_sync(all, lane == 31) * 2 + __all_sync(all, lane < 31);
  row[7] = static_cast<int>(__match_any_sync(all, lane / 8));
  row[8] = static_cast<int>(__reduce_add_sync(all, static_cast<unsigned>(lane)));
  row[9] = static_cast<int>(__reduce_max_sync(all, lane - 40));
  row[10] = 0;
  if (lane < 8) row[10] = __shfl_down_sync(0xffu, lane, 1, 8);
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  row[11] = tile.shfl(lane, 2);
  row[12] = static_cast<int>(tile.ballot(lane % 2));
  row[13] = __popc(__activemask());
  row[14] = static_cast<int>(tile.meta_group_rank()) * 100 + static_cast<int>(tile.thread_rank());
  row[15] = __syncthreads_count(lane < 5);
}

int main() {
  int* device;
  cudaMalloc(&device, 32 * 16 * sizeof(int));
  operations<<<1, 32>>>(device);
  int out[32][16];
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const int in8 = lane % 8;
    const int wanted[16] = {50,
                            lane < 3 ? lane : lane - 3,
                            in8 < 4 ? lane + 4 : lane,
                            lane ^ 16,
                            lane / 4 * 4 + 1,
                            static_cast<int>(0x49249249u),
                            2,
                            static_cast<int>(0xffu << lane / 8 * 8),
                            496,
                            -9,
                            lane < 7 ? lane + 1 : lane == 7 ? 7 : 0,
                            lane / 8 * 8 + 2,
                            0xaa,
                            32,
                            lane / 8 * 100 + in8,
                            5};
    for (int k = 0; k < 16; ++k)
      if (out[lane][k] != wanted[k]) {
        std::printf("lane %d, value %d: %d, not %d\n", lane, k, out[lane][k], wanted[k]);
        ++wrong;
      }
  }
  std::printf("%d differ\n", wrong);
  return wrong != 0;
}
