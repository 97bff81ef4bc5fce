// Block collectives: each thread puts its value into the storage, and after a barrier reads what it needs there.
#pragma once

#include "operations.cuh"

#ifdef __CUDA__
namespace cub {
__device__ inline int tqm_rank() { return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)); }

template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
class BlockReduce {
 public:
  struct TempStorage {
    T values[X * Y * Z];
  };
  __device__ explicit BlockReduce(TempStorage& storage) : storage_(storage) {}
  // The result is thread 0's.
  template <class Op>
  __device__ T Reduce(T value, Op op, int valid) {
    storage_.values[tqm_rank()] = value;
    __syncthreads();
    if (tqm_rank() == 0)
      for (int i = 1; i < valid; ++i) value = op(value, storage_.values[i]);
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
    return Reduce(value, op);
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int Items>
  __device__ T Sum(T (&values)[Items]) {
    return Reduce(values, cub::Sum());
  }

 private:
  TempStorage& storage_;
};

template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1>
class BlockScan {
 public:
  struct TempStorage {
    T values[X * Y * Z];
  };
  __device__ explicit BlockScan(TempStorage& storage) : storage_(storage) {}
  __device__ void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  __device__ void ExclusiveSum(T in, T& out, T& all) { ExclusiveScan(in, out, T(), cub::Sum(), all); }
  __device__ void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  __device__ void InclusiveSum(T in, T& out, T& all) { InclusiveScan(in, out, cub::Sum(), all); }
  template <int Items>
  __device__ void ExclusiveSum(T (&in)[Items], T (&out)[Items]) {
    T all;
    ExclusiveScan(in, out, T(), cub::Sum(), all);
  }
  template <int Items>
  __device__ void ExclusiveSum(T (&in)[Items], T (&out)[Items], T& all) {
    ExclusiveScan(in, out, T(), cub::Sum(), all);
  }
  template <int Items>
  __device__ void InclusiveSum(T (&in)[Items], T (&out)[Items]) {
    T all;
    InclusiveScan(in, out, cub::Sum(), all);
  }
  template <int Items>
  __device__ void InclusiveSum(T (&in)[Items], T (&out)[Items], T& all) {
    InclusiveScan(in, out, cub::Sum(), all);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T first, Op op) {
    T all;
    ExclusiveScan(in, out, first, op, all);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T first, Op op, T& all) {
    put(in);
    T sum = first;
    for (int i = 0; i < tqm_rank(); ++i) sum = op(sum, storage_.values[i]);
    all = total(op);
    out = sum;
    __syncthreads();
  }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op) {
    T all;
    InclusiveScan(in, out, op, all);
  }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op, T& all) {
    put(in);
    T sum = storage_.values[0];
    for (int i = 1; i <= tqm_rank(); ++i) sum = op(sum, storage_.values[i]);
    all = total(op);
    out = sum;
    __syncthreads();
  }
  template <int Items, class Op>
  __device__ void ExclusiveScan(T (&in)[Items], T (&out)[Items], T first, Op op, T& all) {
    T own = in[0];
    for (int i = 1; i < Items; ++i) own = op(own, in[i]);
    T sum;
    ExclusiveScan(own, sum, first, op, all);
    for (int i = 0; i < Items; ++i) {
      const T value = in[i];
      out[i] = sum;
      sum = op(sum, value);
    }
  }
  template <int Items, class Op>
  __device__ void InclusiveScan(T (&in)[Items], T (&out)[Items], Op op, T& all) {
    T own = in[0];
    for (int i = 1; i < Items; ++i) own = op(own, in[i]);
    put(own);
    T sum = in[0];
    if (tqm_rank() > 0) {
      sum = storage_.values[0];
      for (int i = 1; i < tqm_rank(); ++i) sum = op(sum, storage_.values[i]);
      sum = op(sum, in[0]);
    }
    all = total(op);
    out[0] = sum;
    for (int i = 1; i < Items; ++i) out[i] = sum = op(sum, in[i]);
    __syncthreads();
  }

 private:
  __device__ void put(T value) {
    storage_.values[tqm_rank()] = value;
    __syncthreads();
  }
  template <class Op>
  __device__ T total(Op op) {
    T sum = storage_.values[0];
    for (int i = 1; i < X * Y * Z; ++i) sum = op(sum, storage_.values[i]);
    return sum;
  }
  TempStorage& storage_;
};

template <class T, int X, int Items, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1>
class BlockLoad {
 public:
  struct TempStorage {};
  __device__ BlockLoad() {}
  __device__ explicit BlockLoad(TempStorage&) {}
  template <class In>
  __device__ void Load(In from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[place(i)];
  }
  template <class In>
  __device__ void Load(In from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
      if (place(i) < valid) items[i] = from[place(i)];
  }
  template <class In, class V>
  __device__ void Load(In from, T (&items)[Items], int valid, V otherwise) {
    for (int i = 0; i < Items; ++i) items[i] = place(i) < valid ? (T)from[place(i)] : (T)otherwise;
  }

 private:
  static __device__ int place(int i) { return A == BLOCK_LOAD_STRIPED ? i * X * Y * Z + tqm_rank() : tqm_rank() * Items + i; }
};

template <class T, int X, int Items, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1>
class BlockStore {
 public:
  struct TempStorage {};
  __device__ BlockStore() {}
  __device__ explicit BlockStore(TempStorage&) {}
  template <class Out>
  __device__ void Store(Out to, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) to[place(i)] = items[i];
  }
  template <class Out>
  __device__ void Store(Out to, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
      if (place(i) < valid) to[place(i)] = items[i];
  }

 private:
  static __device__ int place(int i) { return A == BLOCK_STORE_STRIPED ? i * X * Y * Z + tqm_rank() : tqm_rank() * Items + i; }
};

// A stable sort of all threads' items: each item's place is counted.
template <class K, int X, int Items, class V = void>
class BlockRadixSort {
 public:
  struct TempStorage {
    K keys[X * Items];
    K sorted[X * Items];
  };
  __device__ explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}
  __device__ void Sort(K (&keys)[Items]) { sort(keys, false); }
  __device__ void SortDescending(K (&keys)[Items]) { sort(keys, true); }

 private:
  __device__ void sort(K (&keys)[Items], bool descending) {
    for (int i = 0; i < Items; ++i) storage_.keys[tqm_rank() * Items + i] = keys[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) {
      const int own = tqm_rank() * Items + i;
      int before = 0;
      for (int o = 0; o < X * Items; ++o) {
        const K other = storage_.keys[o];
        const bool first = descending ? other > keys[i] : other < keys[i];
        if (first || (other == keys[i] && o < own)) ++before;
      }
      storage_.sorted[before] = keys[i];
    }
    __syncthreads();
    for (int i = 0; i < Items; ++i) keys[i] = storage_.sorted[tqm_rank() * Items + i];
    __syncthreads();
  }
  TempStorage& storage_;
};
}  // namespace cub
#endif
