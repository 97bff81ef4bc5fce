// Warp collectives, by shuffles.
#pragma once

#include "../cooperative_groups.h"
#include "operations.cuh"

#ifdef __CUDA__
namespace cub {
template <class T, int Lanes = 32>
class WarpReduce {
 public:
  struct TempStorage {};
  __device__ explicit WarpReduce(TempStorage&) {}
  template <class Op>
  __device__ T Reduce(T value, Op op) {
    for (unsigned by = Lanes / 2; by > 0; by /= 2) value = op(value, down(value, by));
    return value;
  }
  template <class Op>
  __device__ T Reduce(T value, Op op, int valid) {
    const int lane = tqm_cuda_lane() % Lanes;
    for (int by = 1; by < Lanes; by *= 2) {
      const T other = down(value, (unsigned)by);
      if (lane + by < valid) value = op(value, other);
    }
    return value;
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }

 private:
  static __device__ T down(T value, unsigned by) {
    return cooperative_groups::thread_block_tile<Lanes>().shfl_down(value, by);
  }
};

template <class T, int Lanes = 32>
class WarpScan {
 public:
  struct TempStorage {};
  __device__ explicit WarpScan(TempStorage&) {}
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op) {
    const cooperative_groups::thread_block_tile<Lanes> tile;
    for (unsigned by = 1; by < Lanes; by *= 2) {
      const T before = tile.shfl_up(in, by);
      if (tile.thread_rank() >= by) in = op(before, in);
    }
    out = in;
  }
  __device__ void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  __device__ void ExclusiveSum(T in, T& out) {
    T sum;
    InclusiveSum(in, sum);
    out = sum - in;
  }
  __device__ void InclusiveSum(T in, T& out, T& all) {
    InclusiveSum(in, out);
    all = cooperative_groups::thread_block_tile<Lanes>().shfl(out, Lanes - 1);
  }
};
}  // namespace cub
#endif
