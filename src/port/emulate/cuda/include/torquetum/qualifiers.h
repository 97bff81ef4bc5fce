// Torquetum's look-alike of CUDA's language: the words before declarations, and the standard functions that device code
// may call. Written from the CUDA C++ Programming Guide; for Clang, which knows the attributes, and in plain C and C++
// units the words mean nothing.
#pragma once

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
// The section tells the emulator's build step which functions are kernels.
#define __global__ __attribute__((global, section("tqm_kernel")))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __CUDACC__ 1
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 200  // Clang's own for a device that is no GPU
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define TQM_BOTH __attribute__((host, device))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#define TQM_BOTH
#endif

// `__noinline__` is a word of Clang's own in CUDA, and an attribute's name in libstdc++: no macro for it.
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB

// What of the standard library device code may call. Everything declared between `begin` and `end` is for both sides;
// headers stand here as well that define what one of these has declared (list, deque, valarray, setjmp).
#ifdef __cplusplus
#ifdef __CUDA__
#include <time.h>
#pragma clang force_cuda_host_device begin
#include <malloc.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <mm_malloc.h>
#pragma clang force_cuda_host_device end
#include <new>
#define __throw_future_error __tqm_throw_future_error  // <future> has a friend of this name, for the host
#pragma clang force_cuda_host_device begin
#endif
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#include <valarray>
#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#undef __throw_future_error
namespace std {
[[noreturn]] void __throw_future_error(int);
}
#endif
#else
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#endif
