// Cooperative groups: the block as a group, and tiles of a warp and of less.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// The block is a group with a rank, a size and a barrier.
__global__ void block_sum(const float* in, float* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ float part[128];
  const unsigned rank = block.thread_rank();
  float mine = 0.f;
  for (int i = blockIdx.x * block.size() + rank; i < n; i += gridDim.x * block.size()) mine += in[i];
  part[rank] = mine;
  block.sync();
  for (unsigned half = block.size() / 2; half > 0; half /= 2) {
    if (rank < half) part[rank] += part[rank + half];
    block.sync();
  }
  if (rank == 0) out[blockIdx.x] = part[0];
}

// A warp is a tile of 32; lanes hand down what they have.
__global__ void tile_sum(const float* in, float* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  for (int reach = tile.size() / 2; reach > 0; reach /= 2) v += tile.shfl_down(v, reach);
  if (tile.thread_rank() == 0) out[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = v;
}

// Tiles of eight, and the library's own reduction.
__global__ void small_tiles(const float* in, float* most, float* sum) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = in[i];
  const float top = cg::reduce(tile, v, cg::greater<float>());
  const float all = cg::reduce(tile, v, cg::plus<float>());
  if (tile.thread_rank() == 0) {
    most[i / 8] = top;
    sum[i / 8] = all;
  }
}

// Votes and broadcasts in a tile of sixteen.
__global__ void tile_votes(const int* in, unsigned* ballots, int* first, int* flags) {
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[i];
  const unsigned odd = tile.ballot(v & 1);
  const int leader = tile.shfl(v, 0), turned = tile.shfl_xor(v, 5);
  const int any = tile.any(v > 90), all = tile.all(v >= 0);
  if (tile.thread_rank() == 0) ballots[i / 16] = odd;
  first[i] = leader + turned;
  flags[i] = any * 2 + all;
}

// The tile handed to a function, as libraries do.
template <typename Group>
__device__ int prefix(const Group& group, int v) {
  const int lane = group.thread_rank();
  for (int reach = 1; reach < group.size(); reach *= 2) {
    const int below = group.shfl_up(v, reach);
    if (lane >= reach) v += below;
  }
  return v;
}
__global__ void tile_prefix(const int* in, int* out, int n) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = prefix(tile, i < n ? in[i] : 0);
  if (i < n) out[i] = sum;
}

void run(const float* in, float* out, const int* k, unsigned* u, int* o, int n) {
  block_sum<<<4, 128>>>(in, out, n);
  tile_sum<<<(n + 127) / 128, 128>>>(in, out, n);
  small_tiles<<<n / 64, 64>>>(in, out, out);
  tile_votes<<<n / 64, 64>>>(k, u, o, o);
  tile_prefix<<<(n + 95) / 96, 96>>>(k, o, n);
}
