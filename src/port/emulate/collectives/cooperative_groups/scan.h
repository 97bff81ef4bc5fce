// Sums of what comes before, in a tile.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {
template <unsigned Size, class Parent, class T, class Op>
__device__ inline T inclusive_scan(const thread_block_tile<Size, Parent>& group, T value, Op op) {
  for (unsigned by = 1; by < Size; by *= 2) {
    const T before = group.shfl_up(value, by);
    if (group.thread_rank() >= by) value = op(before, value);
  }
  return value;
}
template <unsigned Size, class Parent, class T>
__device__ inline T inclusive_scan(const thread_block_tile<Size, Parent>& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <unsigned Size, class Parent, class T, class Op>
__device__ inline T exclusive_scan(const thread_block_tile<Size, Parent>& group, T value, Op op) {
  const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T(0) : before;
}
template <unsigned Size, class Parent, class T>
__device__ inline T exclusive_scan(const thread_block_tile<Size, Parent>& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}
}  // namespace cooperative_groups
