// Cooperative groups as the translator reads them: block, tiles of 1 to 32 threads, the grid's numbers. Written with
// shuffles, votes and barriers, which passes know; the CUDA emulator has a text of its own. Groups have no state, so
// the objects vanish.
#pragma once

#include "cuda_runtime.h"

__device__ unsigned tqm_thread_rank();    // of the thread in its block
__device__ unsigned tqm_block_threads();  // of the block

namespace cooperative_groups {

class thread_block {
 public:
  static __device__ void sync() { __syncthreads(); }
  static __device__ unsigned thread_rank() { return tqm_thread_rank(); }
  static __device__ unsigned size() { return tqm_block_threads(); }
  static __device__ unsigned num_threads() { return tqm_block_threads(); }
  static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static __device__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static __device__ dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  void sync() const;  // blocks run one after the other: refused
  bool is_valid() const;
  static __device__ unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static __device__ unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static __device__ unsigned long long thread_rank() { return block_rank() * tqm_block_threads() + tqm_thread_rank(); }
  static __device__ unsigned long long size() { return num_blocks() * tqm_block_threads(); }
  static __device__ unsigned long long num_threads() { return size(); }
};
__device__ inline grid_group this_grid() { return grid_group(); }

template <unsigned Size, class Parent = thread_block>
class thread_block_tile {
 public:
  __device__ thread_block_tile() {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>&) {}
  static __device__ void sync() { __syncwarp(); }
  static __device__ unsigned thread_rank() { return tqm_thread_rank() % Size; }
  static __device__ constexpr unsigned size() { return Size; }
  static __device__ constexpr unsigned num_threads() { return Size; }
  static __device__ unsigned meta_group_rank() { return Parent::thread_rank() / Size; }
  static __device__ unsigned meta_group_size() { return (Parent::size() + Size - 1) / Size; }
  template <class T>
  static __device__ T shfl(T v, unsigned rank) {
    return __shfl_sync(0xffffffffu, v, (int)rank, Size);
  }
  template <class T>
  static __device__ T shfl_up(T v, unsigned by) {
    return __shfl_up_sync(0xffffffffu, v, by, Size);
  }
  template <class T>
  static __device__ T shfl_down(T v, unsigned by) {
    return __shfl_down_sync(0xffffffffu, v, by, Size);
  }
  template <class T>
  static __device__ T shfl_xor(T v, unsigned with) {
    return __shfl_xor_sync(0xffffffffu, v, (int)with, Size);
  }
  static __device__ unsigned ballot(int predicate) {
    const unsigned lanes = __ballot_sync(0xffffffffu, predicate);
    return Size == 32 ? lanes : (lanes >> (tqm_thread_rank() % 32 / Size * Size)) & ((1u << (Size % 32)) - 1);
  }
  static __device__ int any(int predicate) { return ballot(predicate) != 0; }
  static __device__ int all(int predicate) { return ballot(!predicate) == 0; }
};

template <unsigned Size, class Parent>
__device__ inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}

template <class Group>
__device__ inline void sync(const Group& group) {
  group.sync();
}
template <class Group>
__device__ inline unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
__device__ inline unsigned group_size(const Group& group) {
  return group.size();
}

#define TQM_OPERATION(name, expression)                               \
  template <class T>                                                  \
  struct name {                                                       \
    __device__ T operator()(T a, T b) const { return (T)(expression); } \
  };
TQM_OPERATION(plus, a + b)
TQM_OPERATION(less, b < a ? b : a)
TQM_OPERATION(greater, a < b ? b : a)
TQM_OPERATION(bit_and, a & b)
TQM_OPERATION(bit_or, a | b)
TQM_OPERATION(bit_xor, a ^ b)
#undef TQM_OPERATION

// Groups of a size known when they run: declared, and so refused where they are used.
class coalesced_group {
 public:
  void sync() const;
  unsigned thread_rank() const;
  unsigned size() const;
  unsigned num_threads() const;
  unsigned meta_group_rank() const;
  unsigned meta_group_size() const;
  template <class T>
  T shfl(T v, unsigned rank) const;
  template <class T>
  T shfl_up(T v, unsigned by) const;
  template <class T>
  T shfl_down(T v, unsigned by) const;
  template <class T>
  T shfl_xor(T v, unsigned with) const;
  int any(int predicate) const;
  int all(int predicate) const;
  unsigned ballot(int predicate) const;

 private:
  unsigned mask_;
};
__device__ coalesced_group coalesced_threads();
class thread_group {
 public:
  __device__ thread_group(const thread_block&);
  __device__ thread_group(const coalesced_group&);
  template <unsigned Size, class Parent>
  __device__ thread_group(const thread_block_tile<Size, Parent>&);
  void sync() const;
  unsigned thread_rank() const;
  unsigned size() const;
  unsigned num_threads() const;

 private:
  unsigned mask_;
};
__device__ coalesced_group tiled_partition(const thread_group&, unsigned size);
template <class Group, class Label>
__device__ coalesced_group labeled_partition(const Group& group, Label label);
template <class Group>
__device__ coalesced_group binary_partition(const Group& group, bool predicate);
}  // namespace cooperative_groups
