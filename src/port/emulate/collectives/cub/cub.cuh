// CUB's reductions and scans of a block and of a warp as the translator reads them. A block's go through its shared
// storage, one thread adding up in order; the CUDA emulator has a text of its own.
#pragma once

#include "../cooperative_groups.h"

namespace cub {
#define TQM_OPERATION(name, expression)                      \
  struct name {                                              \
    template <class T>                                       \
    __device__ T operator()(const T& a, const T& b) const {  \
      return expression;                                     \
    }                                                        \
  };
TQM_OPERATION(Sum, a + b)
TQM_OPERATION(Max, a < b ? b : a)
TQM_OPERATION(Min, b < a ? b : a)
#undef TQM_OPERATION
template <class K, class V>
struct KeyValuePair {
  K key;
  V value;
};
struct ArgMax {
  template <class P>
  __device__ P operator()(const P& a, const P& b) const {
    return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class P>
  __device__ P operator()(const P& a, const P& b) const {
    return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING, BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// A class of CUB's holds the storage by reference; here the methods name it by pointer.
template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
class BlockReduce {
 public:
  struct TempStorage {
    T values[X * Y * Z];
  };
  __device__ explicit BlockReduce(TempStorage& storage) : values_(storage.values) {}
  template <class Op>
  __device__ T Reduce(T value, Op op, int valid) {
    const int rank = (int)tqm_thread_rank();
    values_[rank] = value;
    __syncthreads();
    if (rank == 0)
      for (int i = 1; i < valid; ++i) value = op(value, values_[i]);
    __syncthreads();
    return value;
  }
  template <class Op>
  __device__ T Reduce(T value, Op op) {
    return Reduce(value, op, X * Y * Z);
  }
  template <int Items, class Op>
  __device__ T Reduce(T (&values)[Items], Op op) {
    T value = values[0];
    for (int i = 1; i < Items; ++i) value = op(value, values[i]);
    return Reduce(value, op, X * Y * Z);
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum(), X * Y * Z); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int Items>
  __device__ T Sum(T (&values)[Items]) {
    return Reduce(values, cub::Sum());
  }

 private:
  T* values_;
};

template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1>
class BlockScan {
 public:
  struct TempStorage {
    T values[X * Y * Z];
    T total;
  };
  __device__ explicit BlockScan(TempStorage& storage) : values_(storage.values), total_(&storage.total) {}
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T first, Op op, T& all) {
    before(in, first, op);
    out = values_[tqm_thread_rank()];
    all = *total_;
    __syncthreads();
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T first, Op op) {
    before(in, first, op);
    out = values_[tqm_thread_rank()];
    __syncthreads();
  }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op, T& all) {
    through(in, op);
    out = values_[tqm_thread_rank()];
    all = values_[X * Y * Z - 1];
    __syncthreads();
  }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op) {
    through(in, op);
    out = values_[tqm_thread_rank()];
    __syncthreads();
  }
  __device__ void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
  __device__ void ExclusiveSum(T in, T& out, T& all) { ExclusiveScan(in, out, T(0), cub::Sum(), all); }
  __device__ void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  __device__ void InclusiveSum(T in, T& out, T& all) { InclusiveScan(in, out, cub::Sum(), all); }

 private:
  template <class Op>
  __device__ void before(T in, T first, Op op) {
    values_[tqm_thread_rank()] = in;
    __syncthreads();
    if (tqm_thread_rank() == 0) {
      T sum = first;
      T all = values_[0];
      for (int i = 0; i < X * Y * Z; ++i) {
        const T value = values_[i];
        values_[i] = sum;
        sum = op(sum, value);
        if (i > 0) all = op(all, value);
      }
      *total_ = all;
    }
    __syncthreads();
  }
  template <class Op>
  __device__ void through(T in, Op op) {
    values_[tqm_thread_rank()] = in;
    __syncthreads();
    if (tqm_thread_rank() == 0) {
      T sum = values_[0];
      for (int i = 1; i < X * Y * Z; ++i) {
        sum = op(sum, values_[i]);
        values_[i] = sum;
      }
    }
    __syncthreads();
  }
  T* values_;
  T* total_;
};

template <class T, int Lanes = 32>
class WarpReduce {
 public:
  struct TempStorage {};
  __device__ explicit WarpReduce(TempStorage&) {}
  template <class Op>
  static __device__ T Reduce(T value, Op op) {
    for (int by = Lanes / 2; by > 0; by /= 2) value = op(value, __shfl_down_sync(0xffffffffu, value, by, Lanes));
    return value;
  }
  static __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
};

template <class T, int Lanes = 32>
class WarpScan {
 public:
  struct TempStorage {};
  __device__ explicit WarpScan(TempStorage&) {}
  template <class Op>
  static __device__ void InclusiveScan(T in, T& out, Op op) {
    for (int by = 1; by < Lanes; by *= 2) {
      const T before = __shfl_up_sync(0xffffffffu, in, by, Lanes);
      if ((int)tqm_thread_rank() % Lanes >= by) in = op(before, in);
    }
    out = in;
  }
  static __device__ void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  static __device__ void ExclusiveSum(T in, T& out) {
    T sum;
    InclusiveSum(in, sum);
    out = sum - in;
  }
};
}  // namespace cub
