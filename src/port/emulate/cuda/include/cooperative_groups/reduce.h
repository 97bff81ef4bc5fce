// reduce over a tile or coalesced threads: every thread gets the result.
#pragma once

#include "../cooperative_groups.h"

#ifdef __CUDA__
namespace cooperative_groups {
template <class Group, class T, class Op>
__device__ inline T reduce(const Group& group, T value, Op op) {
  const unsigned size = group.size();
  if ((size & (size - 1)) == 0) {
    for (unsigned by = size / 2; by > 0; by /= 2) value = op(value, group.shfl_xor(value, by));
    return value;
  }
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < size; ++rank) result = op(result, group.shfl(value, rank));
  return result;
}
template <class Group, class T>
__device__ inline T reduce(const Group& group, T value) {
  return reduce(group, value, plus<T>());
}
}  // namespace cooperative_groups
#endif
