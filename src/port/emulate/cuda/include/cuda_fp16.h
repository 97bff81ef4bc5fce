// __half and __half2: sixteen bits of IEEE binary16; every operation is rounded once to nearest even.
#pragma once

#include "cuda_runtime.h"
#include "torquetum/half_bits.h"

#ifdef __cplusplus
struct __half_raw {
  unsigned short x;
};
struct __attribute__((aligned(2))) __half {
  unsigned short bits;
  __half() = default;
  TQM_BOTH constexpr __half(const __half_raw& raw) : bits(raw.x) {}
  TQM_BOTH __half(float v) : bits(tqm_cuda::float_to_half(v)) {}
  TQM_BOTH __half(double v) : bits(tqm_cuda::double_to_half(v)) {}
  TQM_BOTH __half(int v) : bits(tqm_cuda::double_to_half((double)v)) {}
  TQM_BOTH __half(unsigned v) : bits(tqm_cuda::double_to_half((double)v)) {}
  TQM_BOTH __half(short v) : bits(tqm_cuda::double_to_half((double)v)) {}
  TQM_BOTH __half(unsigned short v) : bits(tqm_cuda::double_to_half((double)v)) {}
  TQM_BOTH __half(long v) : bits(tqm_cuda::double_to_half((double)v)) {}
  TQM_BOTH __half(unsigned long v) : bits(tqm_cuda::double_to_half((double)v)) {}
  TQM_BOTH __half(long long v) : bits(tqm_cuda::double_to_half((double)v)) {}
  TQM_BOTH __half(unsigned long long v) : bits(tqm_cuda::double_to_half((double)v)) {}
  TQM_BOTH operator float() const { return tqm_cuda::half_to_float(bits); }
  TQM_BOTH operator __half_raw() const { return __half_raw{bits}; }
  TQM_BOTH explicit operator bool() const { return (bits & 0x7fff) != 0; }
  TQM_BOTH explicit operator short() const { return (short)__float2int_rz((float)*this); }
  TQM_BOTH explicit operator unsigned short() const { return (unsigned short)__float2uint_rz((float)*this); }
  TQM_BOTH explicit operator int() const { return __float2int_rz((float)*this); }
  TQM_BOTH explicit operator unsigned() const { return __float2uint_rz((float)*this); }
  TQM_BOTH explicit operator long long() const { return __float2ll_rz((float)*this); }
};
typedef __half half;
typedef __half __nv_half;
#define TQM_WORD __half
#define TQM_WORD2 __half2
#define TQM_TO_BITS tqm_cuda::float_to_half
#define TQM_DOUBLE_TO_BITS tqm_cuda::double_to_half
#define TQM_TO_FLOAT tqm_cuda::half_to_float
#include "torquetum/short_float.h"
typedef __half2 half2;

#define TQM_HALF_FROM(name, rounding)                                                                  \
  TQM_BOTH inline __half name(float v) { return __half(__half_raw{tqm_cuda::float_to_half(v, rounding)}); }
TQM_HALF_FROM(__float2half, tqm_cuda::kNearest)
TQM_HALF_FROM(__float2half_rn, tqm_cuda::kNearest)
TQM_HALF_FROM(__float2half_rz, tqm_cuda::kZero)
TQM_HALF_FROM(__float2half_ru, tqm_cuda::kUp)
TQM_HALF_FROM(__float2half_rd, tqm_cuda::kDown)
#undef TQM_HALF_FROM
TQM_BOTH inline __half __double2half(double v) { return __half(v); }
TQM_BOTH inline float __half2float(__half v) { return v; }
TQM_BOTH inline __half2 __float2half2_rn(float v) { return __half2(__half(v), __half(v)); }
TQM_BOTH inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
TQM_BOTH inline __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
TQM_BOTH inline float2 __half22float2(__half2 v) { return float2{(float)v.x, (float)v.y}; }
TQM_BOTH inline __half2 __half2half2(__half v) { return __half2(v, v); }
TQM_BOTH inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
TQM_BOTH inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
TQM_BOTH inline float __low2float(__half2 v) { return v.x; }
TQM_BOTH inline float __high2float(__half2 v) { return v.y; }
TQM_BOTH inline __half __low2half(__half2 v) { return v.x; }
TQM_BOTH inline __half __high2half(__half2 v) { return v.y; }
TQM_BOTH inline __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
TQM_BOTH inline __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
TQM_BOTH inline __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
TQM_BOTH inline __half __ushort_as_half(unsigned short v) { return __half(__half_raw{v}); }
TQM_BOTH inline __half __short_as_half(short v) { return __half(__half_raw{(unsigned short)v}); }
TQM_BOTH inline unsigned short __half_as_ushort(__half v) { return v.bits; }
TQM_BOTH inline short __half_as_short(__half v) { return (short)v.bits; }
#define TQM_HALF_INTEGER(suffix, round)                                                       \
  TQM_BOTH inline int __half2int_##suffix(__half v) { return __float2int_##suffix((float)v); }  \
  TQM_BOTH inline unsigned __half2uint_##suffix(__half v) { return __float2uint_##suffix((float)v); } \
  TQM_BOTH inline short __half2short_##suffix(__half v) {                                     \
    return tqm_cuda::saturated<short>(round((double)(float)v), -32768.0, 32767.0);            \
  }                                                                                           \
  TQM_BOTH inline unsigned short __half2ushort_##suffix(__half v) {                           \
    return tqm_cuda::saturated<unsigned short>(round((double)(float)v), 0.0, 65535.0);        \
  }
TQM_HALF_INTEGER(rn, rint)
TQM_HALF_INTEGER(rz, trunc)
TQM_HALF_INTEGER(ru, ceil)
TQM_HALF_INTEGER(rd, floor)
#undef TQM_HALF_INTEGER
TQM_BOTH inline __half __int2half_rn(int v) { return __half(v); }
TQM_BOTH inline __half __uint2half_rn(unsigned v) { return __half(v); }
TQM_BOTH inline __half __short2half_rn(short v) { return __half(v); }
TQM_BOTH inline __half __ushort2half_rn(unsigned short v) { return __half(v); }
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFu)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFu)
#endif
