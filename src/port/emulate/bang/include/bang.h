// BANG C for the emulator: what a .mlu file includes. The calls are those that an MLU370 (mtp_372) has; their meaning
// is in the emulator's library.
#pragma once

#include <cmath>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bang_absent.h"
#include "bang_arithmetic.h"
#include "bang_convert.h"
#include "bang_launch.h"
#include "bang_memory.h"
#include "bang_tensor.h"
#include "bang_types.h"
#include "bang_vv.h"
#include "cnrt.h"

inline float __cn_scalar_sin_f32(float x) {
  return std::sin(x);
}
inline float __cn_scalar_cos_f32(float x) {
  return std::cos(x);
}
inline float __cn_scalar_exp_f32(float x) {
  return std::exp(x);
}
inline float __cn_scalar_log_f32(float x) {
  return std::log(x);
}
inline float __cn_scalar_sqrt_f32(float x) {
  return std::sqrt(x);
}
inline half __cn_scalar_sin_f16(half x) {
  return static_cast<half>(std::sin(static_cast<float>(x)));
}
inline half __cn_scalar_cos_f16(half x) {
  return static_cast<half>(std::cos(static_cast<float>(x)));
}

// Scalar half arithmetic of the C library's kind.
#define TQM_HALF_FUNCTION(name)                                 \
  inline half name(half x) {                                    \
    return static_cast<half>(std::name(static_cast<float>(x))); \
  }
TQM_HALF_FUNCTION(sqrt)
TQM_HALF_FUNCTION(exp)
TQM_HALF_FUNCTION(log)
TQM_HALF_FUNCTION(floor)
TQM_HALF_FUNCTION(ceil)
TQM_HALF_FUNCTION(sin)
TQM_HALF_FUNCTION(cos)
TQM_HALF_FUNCTION(fabs)
TQM_HALF_FUNCTION(round)
TQM_HALF_FUNCTION(trunc)
#undef TQM_HALF_FUNCTION

inline bool isnan(half x) {
  return x != x;
}
inline bool isinf(half x) {
  return std::isinf(static_cast<float>(x));
}
namespace std {
using ::ceilf;
using ::expf;
using ::fabsf;
using ::floorf;
using ::logf;
using ::powf;
using ::roundf;
using ::sqrtf;
}  // namespace std
