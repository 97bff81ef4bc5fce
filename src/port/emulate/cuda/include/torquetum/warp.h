// Warp operations: shuffles, votes, matches, reductions.
#pragma once

#include "device_launch_parameters.h"
#include "torquetum/runtime_abi.h"

#ifdef __CUDA__
namespace tqm_cuda {
template <class T>
TQM_BOTH inline unsigned long long to_word(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle takes up to 8 bytes");
  unsigned long long word = 0;
  __builtin_memcpy(&word, &value, sizeof(T));
  return word;
}
template <class T>
TQM_BOTH inline T from_word(unsigned long long word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof(T));
  return value;
}
}  // namespace tqm_cuda

#define TQM_SHUFFLES(T)                                                                              \
  __device__ inline T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {                    \
    return tqm_cuda::from_word<T>(tqm_cuda_shuffle(mask, tqm_cuda::to_word(v), 0, (unsigned)lane, width)); \
  }                                                                                                  \
  __device__ inline T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32) {              \
    return tqm_cuda::from_word<T>(tqm_cuda_shuffle(mask, tqm_cuda::to_word(v), 1, by, width));       \
  }                                                                                                  \
  __device__ inline T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32) {            \
    return tqm_cuda::from_word<T>(tqm_cuda_shuffle(mask, tqm_cuda::to_word(v), 2, by, width));       \
  }                                                                                                  \
  __device__ inline T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32) {                \
    return tqm_cuda::from_word<T>(tqm_cuda_shuffle(mask, tqm_cuda::to_word(v), 3, (unsigned)with, width)); \
  }                                                                                                  \
  __device__ inline T __shfl(T v, int lane, int width = 32) {                                        \
    return __shfl_sync(__activemask(), v, lane, width);                                              \
  }                                                                                                  \
  __device__ inline T __shfl_up(T v, unsigned by, int width = 32) {                                  \
    return __shfl_up_sync(__activemask(), v, by, width);                                             \
  }                                                                                                  \
  __device__ inline T __shfl_down(T v, unsigned by, int width = 32) {                                \
    return __shfl_down_sync(__activemask(), v, by, width);                                           \
  }                                                                                                  \
  __device__ inline T __shfl_xor(T v, int with, int width = 32) {                                    \
    return __shfl_xor_sync(__activemask(), v, with, width);                                          \
  }
TQM_SHUFFLES(int)
TQM_SHUFFLES(unsigned int)
TQM_SHUFFLES(long)
TQM_SHUFFLES(unsigned long)
TQM_SHUFFLES(long long)
TQM_SHUFFLES(unsigned long long)
TQM_SHUFFLES(float)
TQM_SHUFFLES(double)

__device__ inline void __syncwarp(unsigned mask = 0xffffffffu) {
  tqm_cuda_syncwarp(mask);
}
__device__ inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return tqm_cuda_ballot(mask, predicate);
}
__device__ inline int __any_sync(unsigned mask, int predicate) {
  return tqm_cuda_ballot(mask, predicate) != 0;
}
__device__ inline int __all_sync(unsigned mask, int predicate) {
  return tqm_cuda_ballot(mask, !predicate) == 0;
}
__device__ inline int __uni_sync(unsigned mask, int predicate) {
  const unsigned yes = tqm_cuda_ballot(mask, predicate);
  const unsigned no = tqm_cuda_ballot(mask, !predicate);
  return yes == 0 || no == 0;
}
__device__ inline unsigned __ballot(int predicate) {
  return tqm_cuda_ballot(__activemask(), predicate);
}
__device__ inline int __any(int predicate) {
  return tqm_cuda_ballot(__activemask(), predicate) != 0;
}
__device__ inline int __all(int predicate) {
  return tqm_cuda_ballot(__activemask(), !predicate) == 0;
}

#define TQM_MATCHES(T)                                                                \
  __device__ inline unsigned __match_any_sync(unsigned mask, T v) {                   \
    return tqm_cuda_match(mask, tqm_cuda::to_word(v), 0);                             \
  }                                                                                   \
  __device__ inline unsigned __match_all_sync(unsigned mask, T v, int* all) {         \
    const unsigned lanes = tqm_cuda_match(mask, tqm_cuda::to_word(v), 1);             \
    *all = lanes != 0;                                                                \
    return lanes;                                                                     \
  }
TQM_MATCHES(int)
TQM_MATCHES(unsigned int)
TQM_MATCHES(long)
TQM_MATCHES(unsigned long)
TQM_MATCHES(long long)
TQM_MATCHES(unsigned long long)
TQM_MATCHES(float)
TQM_MATCHES(double)

__device__ inline unsigned __reduce_add_sync(unsigned mask, unsigned v) { return tqm_cuda_reduce(mask, v, 0); }
__device__ inline unsigned __reduce_min_sync(unsigned mask, unsigned v) { return tqm_cuda_reduce(mask, v, 1); }
__device__ inline unsigned __reduce_max_sync(unsigned mask, unsigned v) { return tqm_cuda_reduce(mask, v, 2); }
__device__ inline int __reduce_add_sync(unsigned mask, int v) { return (int)tqm_cuda_reduce(mask, (unsigned)v, 0); }
__device__ inline int __reduce_min_sync(unsigned mask, int v) { return (int)tqm_cuda_reduce(mask, (unsigned)v, 3); }
__device__ inline int __reduce_max_sync(unsigned mask, int v) { return (int)tqm_cuda_reduce(mask, (unsigned)v, 4); }
__device__ inline unsigned __reduce_and_sync(unsigned mask, unsigned v) { return tqm_cuda_reduce(mask, v, 5); }
__device__ inline unsigned __reduce_or_sync(unsigned mask, unsigned v) { return tqm_cuda_reduce(mask, v, 6); }
__device__ inline unsigned __reduce_xor_sync(unsigned mask, unsigned v) { return tqm_cuda_reduce(mask, v, 7); }
#endif
