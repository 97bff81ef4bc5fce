// Cooperative groups: block, grid, tiles of 1 to 32 threads, coalesced threads.
#pragma once

#include "cuda_runtime.h"

#ifdef __CUDA__
namespace cooperative_groups {
namespace tqm_detail {
__device__ inline unsigned rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

// Values of any size move eight bytes at a time.
template <class T>
__device__ inline T shuffle(unsigned mask, T value, int kind, unsigned lane, int width) {
  constexpr int words = (int)((sizeof(T) + 7) / 8);
  unsigned long long buffer[words] = {};
  __builtin_memcpy(buffer, &value, sizeof(T));
  for (int i = 0; i < words; ++i) buffer[i] = tqm_cuda_shuffle(mask, buffer[i], kind, lane, width);
  __builtin_memcpy(&value, buffer, sizeof(T));
  return value;
}
// The lane of the n-th bit that is set.
__device__ inline unsigned nth_lane(unsigned mask, unsigned n) {
  for (unsigned i = 0; i < n; ++i) mask &= mask - 1;
  return (unsigned)__builtin_ctz(mask);
}
}  // namespace tqm_detail

class thread_block {
 public:
  static __device__ void sync() { __syncthreads(); }
  static __device__ unsigned thread_rank() { return tqm_detail::rank_in_block(); }
  static __device__ unsigned size() { return tqm_detail::block_threads(); }
  static __device__ unsigned num_threads() { return size(); }
  static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static __device__ dim3 group_dim() { return blockDim; }
  static __device__ dim3 dim_threads() { return blockDim; }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  __device__ bool is_valid() const { return tqm_cuda_grid_is_cooperative() != 0; }
  __device__ void sync() const { tqm_cuda_grid_sync(); }
  static __device__ unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static __device__ unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static __device__ unsigned long long thread_rank() {
    return block_rank() * tqm_detail::block_threads() + tqm_detail::rank_in_block();
  }
  static __device__ unsigned long long size() { return num_blocks() * tqm_detail::block_threads(); }
  static __device__ unsigned long long num_threads() { return size(); }
  static __device__ dim3 group_dim() { return gridDim; }
  static __device__ dim3 dim_blocks() { return gridDim; }
  static __device__ dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__device__ inline grid_group this_grid() { return grid_group(); }

// Lanes of one warp named by a mask: what a tile and coalesced threads have in common.
class tqm_lanes {
 public:
  __device__ void sync() const { tqm_cuda_syncwarp(mask_); }
  __device__ unsigned thread_rank() const {
    return (unsigned)__builtin_popcount(mask_ & ((1u << (tqm_detail::rank_in_block() % 32)) - 1));
  }
  __device__ unsigned size() const { return (unsigned)__builtin_popcount(mask_); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  template <class T>
  __device__ T shfl(T v, unsigned rank) const {
    return tqm_detail::shuffle(mask_, v, 0, tqm_detail::nth_lane(mask_, rank % size()), 32);
  }
  template <class T>
  __device__ T shfl_up(T v, unsigned by) const {
    const unsigned rank = thread_rank();
    return tqm_detail::shuffle(mask_, v, 0, tqm_detail::nth_lane(mask_, rank < by ? rank : rank - by), 32);
  }
  template <class T>
  __device__ T shfl_down(T v, unsigned by) const {
    const unsigned rank = thread_rank();
    return tqm_detail::shuffle(mask_, v, 0, tqm_detail::nth_lane(mask_, rank + by < size() ? rank + by : rank), 32);
  }
  template <class T>
  __device__ T shfl_xor(T v, unsigned with) const {
    const unsigned rank = thread_rank();
    return tqm_detail::shuffle(mask_, v, 0, tqm_detail::nth_lane(mask_, (rank ^ with) < size() ? rank ^ with : rank), 32);
  }
  __device__ int any(int predicate) const { return tqm_cuda_ballot(mask_, predicate) != 0; }
  __device__ int all(int predicate) const { return tqm_cuda_ballot(mask_, !predicate) == 0; }
  __device__ unsigned ballot(int predicate) const { return packed(tqm_cuda_ballot(mask_, predicate)); }
  template <class T>
  __device__ unsigned match_any(T v) const {
    return packed(__match_any_sync(mask_, v));
  }
  template <class T>
  __device__ unsigned match_all(T v, int& all) const {
    return packed(__match_all_sync(mask_, v, &all));
  }
  __device__ unsigned tqm_mask() const { return mask_; }

 protected:
  __device__ tqm_lanes(unsigned mask, unsigned meta_rank, unsigned meta_size)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

 private:
  // Bits by lane become bits by rank.
  __device__ unsigned packed(unsigned lanes) const {
    unsigned result = 0;
    unsigned rank = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask_ >> lane & 1) result |= (lanes >> lane & 1) << rank++;
    return result;
  }
  unsigned mask_, meta_rank_, meta_size_;
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public tqm_lanes {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles of 1, 2, 4, 8, 16 and 32 threads");

 public:
  __device__ thread_block_tile()
      : tqm_lanes(lanes(), tqm_detail::rank_in_block() / Size, (tqm_detail::block_threads() + Size - 1) / Size) {}
  __device__ thread_block_tile(unsigned meta_rank, unsigned meta_size) : tqm_lanes(lanes(), meta_rank, meta_size) {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>& other)
      : tqm_lanes(lanes(), other.meta_group_rank(), other.meta_group_size()) {}
  static __device__ constexpr unsigned size() { return Size; }
  static __device__ constexpr unsigned num_threads() { return Size; }
  __device__ unsigned thread_rank() const { return tqm_detail::rank_in_block() % Size; }

 private:
  static __device__ unsigned lanes() {
    const unsigned first = tqm_detail::rank_in_block() % 32 / Size * Size;
    return (Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1)) << first;
  }
};

class coalesced_group : public tqm_lanes {
 public:
  __device__ explicit coalesced_group(unsigned mask) : tqm_lanes(mask, 0, 1) {}
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// A group whose size is known when it runs: the block, or a part of a warp.
class thread_group {
 public:
  __device__ thread_group(const thread_block&) : mask_(0) {}
  __device__ thread_group(const tqm_lanes& lanes) : mask_(lanes.tqm_mask()) {}
  __device__ void sync() const {
    if (mask_)
      tqm_cuda_syncwarp(mask_);
    else
      __syncthreads();
  }
  __device__ unsigned thread_rank() const {
    return mask_ ? coalesced_group(mask_).thread_rank() : tqm_detail::rank_in_block();
  }
  __device__ unsigned size() const { return mask_ ? (unsigned)__builtin_popcount(mask_) : tqm_detail::block_threads(); }
  __device__ unsigned num_threads() const { return size(); }

 private:
  unsigned mask_;
};

template <unsigned Size, class Parent>
__device__ inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}
template <unsigned Size, unsigned Outer, class Parent>
__device__ inline thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(
    const thread_block_tile<Outer, Parent>& parent) {
  return thread_block_tile<Size, thread_block_tile<Outer, Parent>>(parent.thread_rank() / Size, Outer / Size);
}
__device__ inline coalesced_group tiled_partition(const thread_group&, unsigned size) {
  const unsigned first = tqm_detail::rank_in_block() % 32 / size * size;
  return coalesced_group((size >= 32 ? 0xffffffffu : ((1u << size) - 1)) << first);
}
template <class Group, class Label>
__device__ inline coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.tqm_mask(), label));
}
template <class Group>
__device__ inline coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = tqm_cuda_ballot(group.tqm_mask(), predicate);
  return coalesced_group(predicate ? yes : group.tqm_mask() & ~yes);
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
template <class Group, class F, class... A>
__device__ inline void invoke_one(const Group& group, F&& f, A&&... arguments) {
  if (group.thread_rank() == 0) f(arguments...);
}

// Copies are done when they return; `wait` makes them seen by the group.
template <class Group, class T>
__device__ inline void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
template <class Group>
__device__ inline void wait(const Group& group) {
  group.sync();
}

#define TQM_OPERATION(name, expression)                                 \
  template <class T>                                                    \
  struct name {                                                         \
    TQM_BOTH T operator()(T a, T b) const { return (T)(expression); }   \
  };
TQM_OPERATION(plus, a + b)
TQM_OPERATION(less, b < a ? b : a)
TQM_OPERATION(greater, a < b ? b : a)
TQM_OPERATION(bit_and, a & b)
TQM_OPERATION(bit_or, a | b)
TQM_OPERATION(bit_xor, a ^ b)
#undef TQM_OPERATION
}  // namespace cooperative_groups
#endif
