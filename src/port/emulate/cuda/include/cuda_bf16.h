// __nv_bfloat16 and __nv_bfloat162: the upper half of a binary32; every operation is rounded once to nearest even.
#pragma once

#include "cuda_runtime.h"
#include "torquetum/half_bits.h"

#ifdef __cplusplus
struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  TQM_BOTH constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : bits(raw.x) {}
  TQM_BOTH __nv_bfloat16(float v) : bits(tqm_cuda::float_to_bfloat(v)) {}
  TQM_BOTH __nv_bfloat16(double v) : bits(tqm_cuda::double_to_bfloat(v)) {}
  TQM_BOTH __nv_bfloat16(int v) : bits(tqm_cuda::double_to_bfloat((double)v)) {}
  TQM_BOTH __nv_bfloat16(unsigned v) : bits(tqm_cuda::double_to_bfloat((double)v)) {}
  TQM_BOTH __nv_bfloat16(short v) : bits(tqm_cuda::double_to_bfloat((double)v)) {}
  TQM_BOTH __nv_bfloat16(unsigned short v) : bits(tqm_cuda::double_to_bfloat((double)v)) {}
  TQM_BOTH __nv_bfloat16(long v) : bits(tqm_cuda::double_to_bfloat((double)v)) {}
  TQM_BOTH __nv_bfloat16(unsigned long v) : bits(tqm_cuda::double_to_bfloat((double)v)) {}
  TQM_BOTH __nv_bfloat16(long long v) : bits(tqm_cuda::double_to_bfloat((double)v)) {}
  TQM_BOTH __nv_bfloat16(unsigned long long v) : bits(tqm_cuda::double_to_bfloat((double)v)) {}
  TQM_BOTH operator float() const { return tqm_cuda::bfloat_to_float(bits); }
  TQM_BOTH operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{bits}; }
  TQM_BOTH explicit operator bool() const { return (bits & 0x7fff) != 0; }
  TQM_BOTH explicit operator int() const { return __float2int_rz((float)*this); }
  TQM_BOTH explicit operator unsigned() const { return __float2uint_rz((float)*this); }
  TQM_BOTH explicit operator long long() const { return __float2ll_rz((float)*this); }
};
typedef __nv_bfloat16 nv_bfloat16;
#define TQM_WORD __nv_bfloat16
#define TQM_WORD2 __nv_bfloat162
#define TQM_TO_BITS tqm_cuda::float_to_bfloat
#define TQM_DOUBLE_TO_BITS tqm_cuda::double_to_bfloat
#define TQM_TO_FLOAT tqm_cuda::bfloat_to_float
#include "torquetum/short_float.h"
typedef __nv_bfloat162 nv_bfloat162;

#define TQM_BFLOAT_FROM(name, rounding)                                                                \
  TQM_BOTH inline __nv_bfloat16 name(float v) {                                                        \
    return __nv_bfloat16(__nv_bfloat16_raw{tqm_cuda::float_to_bfloat(v, rounding)});                   \
  }
TQM_BFLOAT_FROM(__float2bfloat16, tqm_cuda::kNearest)
TQM_BFLOAT_FROM(__float2bfloat16_rn, tqm_cuda::kNearest)
TQM_BFLOAT_FROM(__float2bfloat16_rz, tqm_cuda::kZero)
TQM_BFLOAT_FROM(__float2bfloat16_ru, tqm_cuda::kUp)
TQM_BFLOAT_FROM(__float2bfloat16_rd, tqm_cuda::kDown)
#undef TQM_BFLOAT_FROM
TQM_BOTH inline __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
TQM_BOTH inline float __bfloat162float(__nv_bfloat16 v) { return v; }
TQM_BOTH inline __nv_bfloat162 __float2bfloat162_rn(float v) { return __nv_bfloat162(__nv_bfloat16(v), __nv_bfloat16(v)); }
TQM_BOTH inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
TQM_BOTH inline __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
TQM_BOTH inline float2 __bfloat1622float2(__nv_bfloat162 v) { return float2{(float)v.x, (float)v.y}; }
TQM_BOTH inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return __nv_bfloat162(v, v); }
TQM_BOTH inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
TQM_BOTH inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
TQM_BOTH inline float __low2float(__nv_bfloat162 v) { return v.x; }
TQM_BOTH inline float __high2float(__nv_bfloat162 v) { return v.y; }
TQM_BOTH inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
TQM_BOTH inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
TQM_BOTH inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
TQM_BOTH inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
TQM_BOTH inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __nv_bfloat16(__nv_bfloat16_raw{v}); }
TQM_BOTH inline __nv_bfloat16 __short_as_bfloat16(short v) { return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)v}); }
TQM_BOTH inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.bits; }
TQM_BOTH inline short __bfloat16_as_short(__nv_bfloat16 v) { return (short)v.bits; }
TQM_BOTH inline int __bfloat162int_rn(__nv_bfloat16 v) { return __float2int_rn((float)v); }
TQM_BOTH inline int __bfloat162int_rz(__nv_bfloat16 v) { return __float2int_rz((float)v); }
TQM_BOTH inline __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
TQM_BOTH inline __nv_bfloat16 __uint2bfloat16_rn(unsigned v) { return __nv_bfloat16(v); }
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFu)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#endif
