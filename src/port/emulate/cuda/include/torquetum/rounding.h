// Arithmetic and conversions in a named rounding: nearest even (rn), towards zero (rz), up (ru), down (rd).
// A float operation is computed in double, whose remaining error is known exactly or to its sign, and the float
// neighbour is chosen by that. For double operations the error comes from fma.
#pragma once

#include "torquetum/qualifiers.h"

#ifdef __cplusplus
namespace tqm_cuda {
enum Rounding { kNearest, kZero, kUp, kDown };

// The float that `value + a rest of sign `rest`` rounds to.
TQM_BOTH inline float round_float(double value, int rest, Rounding how) {
  const float near = (float)value;
  if (how == kNearest || near != near) return near;
  const double over = (double)near - value;  // exact: near is a neighbour of value
  const int above = over > 0 ? 1 : over < 0 ? -1 : -rest;  // is `near` above the true value?
  const bool up = how == kUp || (how == kZero && (value < 0));
  if (above > 0 && !up) return __builtin_isinf(near) && !__builtin_isinf(value) ? 3.402823466e+38f : nextafterf(near, -__builtin_inff());
  if (above < 0 && up) return __builtin_isinf(near) && !__builtin_isinf(value) ? -3.402823466e+38f : nextafterf(near, __builtin_inff());
  return near;
}
// Of a sum whose double result is `value` with the sign of the true sum minus value in `rest`.
TQM_BOTH inline double round_double(double value, double rest, Rounding how) {
  if (how == kNearest || value != value || __builtin_isinf(value)) return value;
  const bool up = how == kUp || (how == kZero && value < 0);
  if (rest < 0 && !up) return nextafter(value, -__builtin_inf());
  if (rest > 0 && up) return nextafter(value, __builtin_inf());
  return value;
}
TQM_BOTH inline double sum_rest(double a, double b, double s) {  // Knuth's two-sum
  const double bb = s - a;
  return (a - (s - bb)) + (b - bb);
}
TQM_BOTH inline int sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
// Rounded once to float: the double sum is made odd where it is not exact, so that the second rounding can't tie.
TQM_BOTH inline float fma_rounded(float a, float b, float c, Rounding how) {
  const double p = (double)a * b;  // exact
  const double s = p + c;
  if (__builtin_isinf(s) || s != s) return (float)s;
  const double rest = sum_rest(p, c, s);
  if (how == kNearest) return fmaf(a, b, c);
  return round_float(s, sign_of(rest), how);
}
}  // namespace tqm_cuda

#define TQM_ROUNDED(suffix, how)                                                                                \
  TQM_BOTH inline float __fadd_##suffix(float a, float b) {                                                     \
    const double s = (double)a + b;                                                                             \
    return tqm_cuda::round_float(s, tqm_cuda::sign_of(tqm_cuda::sum_rest(a, b, s)), tqm_cuda::how);             \
  }                                                                                                             \
  TQM_BOTH inline float __fsub_##suffix(float a, float b) { return __fadd_##suffix(a, -b); }                    \
  TQM_BOTH inline float __fmul_##suffix(float a, float b) {                                                     \
    return tqm_cuda::round_float((double)a * b, 0, tqm_cuda::how);                                              \
  }                                                                                                             \
  TQM_BOTH inline float __fdiv_##suffix(float a, float b) {                                                     \
    const double q = (double)a / b;                                                                             \
    const double rest = fma(-q, (double)b, (double)a);                                                          \
    return tqm_cuda::how == tqm_cuda::kNearest                                                                  \
               ? a / b                                                                                          \
               : tqm_cuda::round_float(q, tqm_cuda::sign_of(b < 0 ? -rest : rest), tqm_cuda::how);              \
  }                                                                                                             \
  TQM_BOTH inline float __frcp_##suffix(float a) { return __fdiv_##suffix(1.0f, a); }                           \
  TQM_BOTH inline float __fsqrt_##suffix(float a) {                                                             \
    const double r = sqrt((double)a);                                                                           \
    return tqm_cuda::how == tqm_cuda::kNearest                                                                  \
               ? sqrtf(a)                                                                                       \
               : tqm_cuda::round_float(r, tqm_cuda::sign_of(fma(-r, r, (double)a)), tqm_cuda::how);             \
  }                                                                                                             \
  TQM_BOTH inline float __fmaf_##suffix(float a, float b, float c) {                                            \
    return tqm_cuda::fma_rounded(a, b, c, tqm_cuda::how);                                                       \
  }                                                                                                             \
  TQM_BOTH inline double __dadd_##suffix(double a, double b) {                                                  \
    const double s = a + b;                                                                                     \
    return tqm_cuda::round_double(s, tqm_cuda::sum_rest(a, b, s), tqm_cuda::how);                               \
  }                                                                                                             \
  TQM_BOTH inline double __dsub_##suffix(double a, double b) { return __dadd_##suffix(a, -b); }                 \
  TQM_BOTH inline double __dmul_##suffix(double a, double b) {                                                  \
    const double p = a * b;                                                                                     \
    return tqm_cuda::round_double(p, fma(a, b, -p), tqm_cuda::how);                                             \
  }                                                                                                             \
  TQM_BOTH inline double __ddiv_##suffix(double a, double b) {                                                  \
    const double q = a / b;                                                                                     \
    const double rest = fma(-q, b, a);                                                                          \
    return tqm_cuda::round_double(q, b < 0 ? -rest : rest, tqm_cuda::how);                                      \
  }                                                                                                             \
  TQM_BOTH inline double __drcp_##suffix(double a) { return __ddiv_##suffix(1.0, a); }                          \
  TQM_BOTH inline double __dsqrt_##suffix(double a) {                                                           \
    const double r = sqrt(a);                                                                                   \
    return tqm_cuda::round_double(r, fma(-r, r, a), tqm_cuda::how);                                             \
  }                                                                                                             \
  TQM_BOTH inline float __double2float_##suffix(double a) { return tqm_cuda::round_float(a, 0, tqm_cuda::how); } \
  TQM_BOTH inline float __int2float_##suffix(int a) { return tqm_cuda::round_float((double)a, 0, tqm_cuda::how); } \
  TQM_BOTH inline float __uint2float_##suffix(unsigned a) {                                                     \
    return tqm_cuda::round_float((double)a, 0, tqm_cuda::how);                                                  \
  }
TQM_ROUNDED(rn, kNearest)
TQM_ROUNDED(rz, kZero)
TQM_ROUNDED(ru, kUp)
TQM_ROUNDED(rd, kDown)
#undef TQM_ROUNDED
TQM_BOTH inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
TQM_BOTH inline float __ll2float_rn(long long a) { return (float)a; }
TQM_BOTH inline float __ull2float_rn(unsigned long long a) { return (float)a; }
TQM_BOTH inline double __int2double_rn(int a) { return (double)a; }
TQM_BOTH inline double __uint2double_rn(unsigned a) { return (double)a; }
TQM_BOTH inline double __ll2double_rn(long long a) { return (double)a; }
TQM_BOTH inline double __ull2double_rn(unsigned long long a) { return (double)a; }

// To integers: NaN gives 0, what is beyond the range gives its end.
namespace tqm_cuda {
template <class To>
TQM_BOTH inline To saturated(double r, double low, double high) {
  if (r != r) return 0;
  if (r <= low) return std::numeric_limits<To>::min();
  if (r >= high) return std::numeric_limits<To>::max();
  return (To)r;
}
}  // namespace tqm_cuda
#define TQM_TO_INTEGERS(suffix, round)                                                                               \
  TQM_BOTH inline int __float2int_##suffix(float a) {                                                                \
    return tqm_cuda::saturated<int>(round((double)a), -2147483648.0, 2147483647.0);                                  \
  }                                                                                                                  \
  TQM_BOTH inline unsigned __float2uint_##suffix(float a) {                                                          \
    return tqm_cuda::saturated<unsigned>(round((double)a), 0.0, 4294967295.0);                                       \
  }                                                                                                                  \
  TQM_BOTH inline long long __float2ll_##suffix(float a) {                                                           \
    return tqm_cuda::saturated<long long>(round((double)a), -9223372036854775808.0, 9223372036854775808.0);          \
  }                                                                                                                  \
  TQM_BOTH inline unsigned long long __float2ull_##suffix(float a) {                                                 \
    return tqm_cuda::saturated<unsigned long long>(round((double)a), 0.0, 18446744073709551616.0);                   \
  }                                                                                                                  \
  TQM_BOTH inline int __double2int_##suffix(double a) {                                                              \
    return tqm_cuda::saturated<int>(round(a), -2147483648.0, 2147483647.0);                                          \
  }                                                                                                                  \
  TQM_BOTH inline unsigned __double2uint_##suffix(double a) {                                                        \
    return tqm_cuda::saturated<unsigned>(round(a), 0.0, 4294967295.0);                                               \
  }                                                                                                                  \
  TQM_BOTH inline long long __double2ll_##suffix(double a) {                                                         \
    return tqm_cuda::saturated<long long>(round(a), -9223372036854775808.0, 9223372036854775808.0);                  \
  }                                                                                                                  \
  TQM_BOTH inline unsigned long long __double2ull_##suffix(double a) {                                               \
    return tqm_cuda::saturated<unsigned long long>(round(a), 0.0, 18446744073709551616.0);                           \
  }
TQM_TO_INTEGERS(rn, rint)
TQM_TO_INTEGERS(rz, trunc)
TQM_TO_INTEGERS(ru, ceil)
TQM_TO_INTEGERS(rd, floor)
#undef TQM_TO_INTEGERS
#endif
