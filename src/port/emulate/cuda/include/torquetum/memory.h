// Fences, cached loads and stores, atomics, clocks: threads of the emulator change only where they wait, so a load, a
// change and a store are one atomic step, and the instrumented build sees them as atomic.
#pragma once

#include "torquetum/runtime_abi.h"
#include "vector_types.h"

#ifdef __CUDA__
__device__ inline void __threadfence() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
__device__ inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
__device__ inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
__device__ inline long long clock64() { return tqm_cuda_clock(); }
__device__ inline clock_t clock() { return (clock_t)tqm_cuda_clock(); }
__device__ inline unsigned long long __globaltimer() { return (unsigned long long)tqm_cuda_clock(); }
__device__ inline void __nanosleep(unsigned) { tqm_cuda_yield(); }
__device__ inline void __trap() { tqm_cuda_trap(); }
__device__ inline void __brkpt() {}
__device__ inline void __prof_trigger(int) {}
__device__ inline unsigned __isGlobal(const void* p) { return (tqm_cuda_is_space(p) & 1) != 0; }
__device__ inline unsigned __isShared(const void* p) { return (tqm_cuda_is_space(p) & 2) != 0; }
__device__ inline unsigned __isLocal(const void* p) { return (tqm_cuda_is_space(p) & 4) != 0; }
__device__ inline unsigned __isConstant(const void* p) { return (tqm_cuda_is_space(p) & 8) != 0; }
__device__ inline size_t __cvta_generic_to_shared(const void* p) { return (size_t)p; }
__device__ inline size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }

#define TQM_CACHED(op) \
  template <class T>   \
  __device__ __attribute__((always_inline)) inline T op(const T* p) { return *p; }
TQM_CACHED(__ldg)
TQM_CACHED(__ldcg)
TQM_CACHED(__ldca)
TQM_CACHED(__ldcs)
TQM_CACHED(__ldlu)
TQM_CACHED(__ldcv)
#undef TQM_CACHED
#define TQM_CACHED(op) \
  template <class T>   \
  __device__ __attribute__((always_inline)) inline void op(T* p, T v) { *p = v; }
TQM_CACHED(__stwb)
TQM_CACHED(__stcg)
TQM_CACHED(__stcs)
TQM_CACHED(__stwt)
#undef TQM_CACHED

namespace tqm_cuda {
template <int bytes>
struct WordOf;
template <>
struct WordOf<2> { using type = unsigned short; };
template <>
struct WordOf<4> { using type = unsigned int; };
template <>
struct WordOf<8> { using type = unsigned long long; };

template <class T>
__device__ __attribute__((always_inline)) inline T atomic_read(const T* p) {
  using Word = typename WordOf<sizeof(T)>::type;
  const Word word = __atomic_load_n((const Word*)p, __ATOMIC_RELAXED);
  T value;
  __builtin_memcpy(&value, &word, sizeof(T));
  return value;
}
template <class T>
__device__ __attribute__((always_inline)) inline void atomic_write(T* p, T value) {
  using Word = typename WordOf<sizeof(T)>::type;
  Word word;
  __builtin_memcpy(&word, &value, sizeof(T));
  __atomic_store_n((Word*)p, word, __ATOMIC_RELAXED);
}
}  // namespace tqm_cuda

// `next` is the new content, from `old` and `v`. Defined for the device, the block and the system, which are one here.
#define TQM_ATOMIC_OF(name, T, next)                                           \
  __device__ __attribute__((always_inline)) inline T name(T* p, T v) {         \
    const T old = tqm_cuda::atomic_read(p);                                    \
    tqm_cuda::atomic_write(p, (T)(next));                                      \
    return old;                                                                \
  }
#define TQM_ATOMIC(name, T, next)         \
  TQM_ATOMIC_OF(name, T, next)            \
  TQM_ATOMIC_OF(name##_block, T, next)    \
  TQM_ATOMIC_OF(name##_system, T, next)
// Those with which a thread may wait for another.
#define TQM_WAITING_OF(name, T, next)                                          \
  __device__ __attribute__((always_inline)) inline T name(T* p, T v) {         \
    const T old = tqm_cuda::atomic_read(p);                                    \
    const T changed = (T)(next);                                               \
    tqm_cuda::atomic_write(p, changed);                                        \
    if (changed == old) tqm_cuda_waited(); /* others go on: nothing of ours may be half done */ \
    return old;                                                                \
  }
#define TQM_WAITING(name, T, next)         \
  TQM_WAITING_OF(name, T, next)            \
  TQM_WAITING_OF(name##_block, T, next)    \
  TQM_WAITING_OF(name##_system, T, next)

#define TQM_ATOMIC_INTEGERS(T)                    \
  TQM_WAITING(atomicAdd, T, old + v)              \
  TQM_WAITING(atomicSub, T, old - v)              \
  TQM_WAITING(atomicExch, T, v)                   \
  TQM_ATOMIC(atomicMin, T, v < old ? v : old)     \
  TQM_ATOMIC(atomicMax, T, v > old ? v : old)     \
  TQM_ATOMIC(atomicAnd, T, old & v)               \
  TQM_WAITING(atomicOr, T, old | v)               \
  TQM_ATOMIC(atomicXor, T, old ^ v)
TQM_ATOMIC_INTEGERS(int)
TQM_ATOMIC_INTEGERS(unsigned int)
TQM_ATOMIC_INTEGERS(long)
TQM_ATOMIC_INTEGERS(unsigned long)
TQM_ATOMIC_INTEGERS(long long)
TQM_ATOMIC_INTEGERS(unsigned long long)
TQM_ATOMIC(atomicAdd, float, old + v)
TQM_ATOMIC(atomicAdd, double, old + v)
TQM_ATOMIC(atomicExch, float, v)
TQM_ATOMIC(atomicExch, double, v)
TQM_ATOMIC(atomicInc, unsigned int, old >= v ? 0 : old + 1)
TQM_ATOMIC(atomicDec, unsigned int, old == 0 || old > v ? v : old - 1)

#define TQM_CAS_OF(name, T)                                                              \
  __device__ __attribute__((always_inline)) inline T name(T* p, T compare, T v) {        \
    const T old = tqm_cuda::atomic_read(p);                                              \
    if (old == compare)                                                                  \
      tqm_cuda::atomic_write(p, v);                                                      \
    else                                                                                 \
      tqm_cuda_waited();                                                                 \
    return old;                                                                          \
  }
#define TQM_CAS(T)                 \
  TQM_CAS_OF(atomicCAS, T)         \
  TQM_CAS_OF(atomicCAS_block, T)   \
  TQM_CAS_OF(atomicCAS_system, T)
TQM_CAS(int)
TQM_CAS(unsigned int)
TQM_CAS(unsigned short)
TQM_CAS(long)
TQM_CAS(unsigned long)
TQM_CAS(long long)
TQM_CAS(unsigned long long)
#undef TQM_CAS
#undef TQM_CAS_OF
__device__ inline float2 atomicAdd(float2* p, float2 v) { return float2{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)}; }
__device__ inline float4 atomicAdd(float4* p, float4 v) {
  return float4{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z), atomicAdd(&p->w, v.w)};
}
#endif
