// Operators and key-value pairs of CUB.
#pragma once

#include "../cuda_runtime.h"

namespace cub {
#define TQM_OPERATION(name, expression)                                                          \
  struct name {                                                                                  \
    template <class T>                                                                           \
    TQM_BOTH T operator()(const T& a, const T& b) const {                                        \
      return expression;                                                                         \
    }                                                                                            \
  };
TQM_OPERATION(Sum, a + b)
TQM_OPERATION(Max, a < b ? b : a)
TQM_OPERATION(Min, b < a ? b : a)
TQM_OPERATION(Difference, a - b)
#undef TQM_OPERATION
struct Equality {
  template <class T>
  TQM_BOTH bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
template <class K, class V>
struct KeyValuePair {
  K key;
  V value;
};
struct ArgMax {
  template <class P>
  TQM_BOTH P operator()(const P& a, const P& b) const {
    return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class P>
  TQM_BOTH P operator()(const P& a, const P& b) const {
    return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING, BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE
};
}  // namespace cub
