// Eight-bit floats: __nv_fp8_e4m3 (no infinity, 448 at most) and __nv_fp8_e5m2 (an IEEE form), rounded to nearest even.
// Written from the CUDA Math API's pages on FP8.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __cplusplus
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace tqm_cuda {
// What is too large becomes the largest, or with __NV_NOSAT infinity (E4M3, which has none: NaN).
TQM_BOTH inline unsigned char double_to_fp8(double v, __nv_saturation_t saturation, __nv_fp8_interpretation_t form) {
  const int fraction_bits = form == __NV_E4M3 ? 3 : 2;
  const int least = form == __NV_E4M3 ? -6 : -14;  // exponent of the smallest normal number
  const unsigned largest = form == __NV_E4M3 ? 0x7e : 0x7b;
  const unsigned too_large = saturation == __NV_SATFINITE ? largest : largest + 1;
  if (v != v) return 0x7f;
  const unsigned sign = __builtin_signbit(v) ? 0x80 : 0;
  const double size = __builtin_fabs(v);
  if (size == 0) return (unsigned char)sign;
  if (size > 1e6) return (unsigned char)(sign | too_large);
  unsigned long long word;
  __builtin_memcpy(&word, &size, 8);
  int exponent = (int)(word >> 52) - 1023;
  const bool small = exponent < least;
  if (small) exponent = least;
  const double places = __builtin_rint(__builtin_ldexp(size, fraction_bits - exponent));
  unsigned code = (unsigned)places;
  if (!small) code = ((unsigned)(exponent - least + 1) << fraction_bits) + code - (1u << fraction_bits);
  return (unsigned char)(sign | (code > largest ? too_large : code));
}
TQM_BOTH inline float fp8_to_float(unsigned char bits, __nv_fp8_interpretation_t form) {
  const int fraction_bits = form == __NV_E4M3 ? 3 : 2;
  const int least = form == __NV_E4M3 ? -6 : -14;
  const unsigned code = bits & 0x7f;
  const float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (form == __NV_E4M3 ? code == 0x7f : code > 0x7c) return __builtin_nanf("");
  if (form == __NV_E5M2 && code == 0x7c) return sign * __builtin_inff();
  const unsigned fraction = code & ((1u << fraction_bits) - 1);
  const int exponent = (int)(code >> fraction_bits);
  if (exponent == 0) return sign * __builtin_ldexpf((float)fraction, least - fraction_bits);
  return sign * __builtin_ldexpf((float)(fraction | (1u << fraction_bits)), exponent - 1 + least - fraction_bits);
}
}  // namespace tqm_cuda

TQM_BOTH inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
  return tqm_cuda::double_to_fp8(v, s, f);
}
TQM_BOTH inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
  return tqm_cuda::double_to_fp8((double)v, s, f);
}
TQM_BOTH inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t s,
                                                           __nv_fp8_interpretation_t f) {
  return tqm_cuda::double_to_fp8((double)(float)__half(v), s, f);
}
TQM_BOTH inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v, __nv_saturation_t s,
                                                               __nv_fp8_interpretation_t f) {
  return tqm_cuda::double_to_fp8((double)(float)__nv_bfloat16(v), s, f);
}
TQM_BOTH inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t s,
                                                              __nv_fp8_interpretation_t f) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.x, s, f) | __nv_cvt_float_to_fp8(v.y, s, f) << 8);
}
TQM_BOTH inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t f) {
  return (__half_raw)__half(tqm_cuda::fp8_to_float(bits, f));
}

#define TQM_FP8(name, form)                                                                        \
  struct name {                                                                                    \
    __nv_fp8_storage_t __x;                                                                        \
    name() = default;                                                                              \
    TQM_BOTH explicit name(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, form)) {}       \
    TQM_BOTH explicit name(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, form)) {}     \
    TQM_BOTH explicit name(int v) : name((double)v) {}                                             \
    TQM_BOTH explicit name(__half v) : name((float)v) {}                                           \
    TQM_BOTH explicit name(__nv_bfloat16 v) : name((float)v) {}                                    \
    TQM_BOTH explicit operator float() const { return tqm_cuda::fp8_to_float(__x, form); }         \
    TQM_BOTH explicit operator double() const { return (double)(float)*this; }                     \
    TQM_BOTH explicit operator __half() const { return __half((float)*this); }                     \
    TQM_BOTH explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }       \
    TQM_BOTH explicit operator bool() const { return (__x & 0x7f) != 0; }                          \
  };
TQM_FP8(__nv_fp8_e4m3, __NV_E4M3)
TQM_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef TQM_FP8
#endif
