// Sums and the like over a tile, by halves: every thread gets the result.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {
template <unsigned Size, class Parent, class T, class Op>
__device__ inline T reduce(const thread_block_tile<Size, Parent>& group, T value, Op op) {
  for (unsigned by = Size / 2; by > 0; by /= 2) value = op(value, group.shfl_xor(value, by));
  return value;
}
template <class Group, class T>
__device__ inline T reduce(const Group& group, T value) {
  return reduce(group, value, plus<T>());
}
template <class T, class Op>
__device__ T reduce(const coalesced_group& group, T value, Op op);
}  // namespace cooperative_groups
