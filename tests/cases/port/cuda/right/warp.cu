#include "check.h"

__global__ void shuffles(int* out, int) {
  const int lane = threadIdx.x;
  out[lane] = __shfl_sync(~0u, lane * 10, 3);
  out[32 + lane] = __shfl_up_sync(~0u, lane, 2);
  out[64 + lane] = __shfl_down_sync(~0u, lane, 5);
  out[96 + lane] = __shfl_xor_sync(~0u, lane, 7);
  out[128 + lane] = __shfl_sync(~0u, lane, 1, 8);
  out[160 + lane] = __shfl_down_sync(~0u, lane, 3, 8);
  out[192 + lane] = __shfl_up_sync(~0u, lane, 1, 16);
  out[224 + lane] = (int)__shfl_xor_sync(~0u, (double)lane * 0.5, 1) * 2;
}
__global__ void votes(unsigned* out, int) {
  const int lane = threadIdx.x;
  out[lane] = __ballot_sync(~0u, lane % 3 == 0);
  out[32 + lane] = __any_sync(~0u, lane == 31) + 2 * __all_sync(~0u, lane < 31);
  out[64 + lane] = __match_any_sync(~0u, lane / 4);
  int all = 7;
  out[96 + lane] = __match_all_sync(~0u, 5, &all) + (all == 1);
  out[128 + lane] = __reduce_add_sync(~0u, (unsigned)lane);
  out[160 + lane] = (unsigned)__reduce_min_sync(~0u, lane - 9);
  out[192 + lane] = __reduce_max_sync(~0u, (unsigned)lane * 2);
  out[224 + lane] = __reduce_xor_sync(~0u, 1u << lane);
  out[256 + lane] = 0;
  if (lane < 8) {
    out[256 + lane] = __activemask();
    out[288 + lane] = __ballot_sync(0xff, lane & 1);
  }
}
// Lanes that ended are not waited for.
__global__ void early_end(int* out, int) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __shfl_sync(0xfffff, (int)threadIdx.x, 19);
}
__global__ void block_votes(int* out, int) {
  __shared__ int s[96];
  s[threadIdx.x] = threadIdx.x;
  const int count = __syncthreads_count(threadIdx.x % 2);
  const int all = __syncthreads_and(threadIdx.x < 95);
  const int any = __syncthreads_or(threadIdx.x == 95);
  out[threadIdx.x] = count * 100 + all * 10 + any + 1000 * s[95 - threadIdx.x];
}

int main() {
  int* a = run<int>(shuffles, 1, 32, 256);
  for (int lane = 0; lane < 32; ++lane) {
    CHECK(a[lane] == 30);
    CHECK(a[32 + lane] == (lane < 2 ? lane : lane - 2));
    CHECK(a[64 + lane] == (lane + 5 > 31 ? lane : lane + 5));
    CHECK(a[96 + lane] == (lane ^ 7));
    CHECK(a[128 + lane] == lane / 8 * 8 + 1);
    CHECK(a[160 + lane] == (lane % 8 + 3 > 7 ? lane : lane + 3));
    CHECK(a[192 + lane] == (lane % 16 == 0 ? lane : lane - 1));
    CHECK(a[224 + lane] == (int)((lane ^ 1) * 0.5) * 2);
  }
  unsigned* v = run<unsigned>(votes, 1, 32, 320);
  for (unsigned lane = 0; lane < 32; ++lane) {
    CHECK(v[lane] == 0x49249249u);
    CHECK(v[32 + lane] == 1);
    CHECK(v[64 + lane] == 0xfu << (lane / 4 * 4));
    CHECK(v[96 + lane] == 0);  // all ones, and one more
    CHECK(v[128 + lane] == 496);
    CHECK((int)v[160 + lane] == -9);
    CHECK(v[192 + lane] == 62);
    CHECK(v[224 + lane] == 0xffffffffu);
    CHECK(v[256 + lane] == (lane < 8 ? 0xffu : 0u));
    if (lane < 8) CHECK(v[288 + lane] == 0xaa);
  }
  int* e = run<int>(early_end, 1, 32, 32);
  for (int lane = 0; lane < 32; ++lane) CHECK(e[lane] == (lane < 20 ? 19 : 0));
  int* b = run<int>(block_votes, 1, 96, 96);
  for (int t = 0; t < 96; ++t) CHECK(b[t] == 48 * 100 + 1 + 1000 * (95 - t));
  return failures;
}
