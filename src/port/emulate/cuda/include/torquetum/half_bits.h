// Sixteen-bit floats as bits: to float exactly, from float and double rounded once in a named way.
#pragma once

#include "torquetum/rounding.h"

#ifdef __cplusplus
namespace tqm_cuda {
TQM_BOTH inline unsigned float_word(float v) {
  unsigned word;
  __builtin_memcpy(&word, &v, 4);
  return word;
}
TQM_BOTH inline float word_float(unsigned word) {
  float v;
  __builtin_memcpy(&v, &word, 4);
  return v;
}

TQM_BOTH inline float half_to_float(unsigned short bits) {
  const unsigned sign = (unsigned)(bits & 0x8000) << 16;
  const unsigned exponent = (bits >> 10) & 31u;
  const unsigned fraction = bits & 0x3ffu;
  if (exponent == 31) return word_float(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return word_float(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float small = (float)fraction * 5.9604644775390625e-08f;  // 2^-24
  return sign ? -small : small;
}
TQM_BOTH inline float bfloat_to_float(unsigned short bits) {
  return word_float((unsigned)bits << 16);
}

// Whether the value kept is raised: `rest` is what is cut off, `half_way` half of the last place kept.
TQM_BOTH inline bool rounds_up(unsigned long long kept, unsigned long long rest, unsigned long long half_way,
                               bool negative, Rounding how) {
  if (rest == 0) return false;
  if (how == kNearest) return rest > half_way || (rest == half_way && (kept & 1));
  return how == kUp ? !negative : how == kDown ? negative : false;
}
// A double as a float of `exponent_bits` and `fraction_bits`, rounded once.
TQM_BOTH inline unsigned short narrow(double v, int exponent_bits, int fraction_bits, Rounding how) {
  unsigned long long word;
  __builtin_memcpy(&word, &v, 8);
  const bool negative = (word >> 63) != 0;
  const unsigned sign = negative ? 0x8000u : 0;
  const unsigned infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  const int exponent = (int)((word >> 52) & 0x7ff);
  unsigned long long fraction = word & 0xfffffffffffffULL;
  if (exponent == 0x7ff) return (unsigned short)(fraction ? 0x7fffu : sign | infinity);
  if (exponent == 0) return (unsigned short)(sign | (fraction && ((how == kUp && !negative) || (how == kDown && negative)) ? sign | 1u : sign));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int target = exponent - 1023 + bias;
  fraction |= 1ULL << 52;
  int cut = 52 - fraction_bits;
  if (target <= 0) {
    cut += 1 - target;
    target = 0;
    if (cut > 63) cut = 63;
  }
  unsigned long long kept = fraction >> cut;
  const unsigned long long rest = fraction & ((1ULL << cut) - 1);
  if (rounds_up(kept, rest, 1ULL << (cut - 1), negative, how)) ++kept;
  // A carry out of the fraction raises the exponent by itself; the hidden one is taken off by the addition.
  const unsigned long long magnitude = target == 0 ? kept : ((unsigned long long)(target - 1) << fraction_bits) + kept;
  if (magnitude >= infinity) {
    const bool stays = how == kZero || (how == kUp && negative) || (how == kDown && !negative);
    return (unsigned short)(sign | (stays ? infinity - 1 : infinity));
  }
  return (unsigned short)(sign | (unsigned)magnitude);
}
TQM_BOTH inline unsigned short double_to_half(double v) { return narrow(v, 5, 10, kNearest); }
TQM_BOTH inline unsigned short double_to_bfloat(double v) { return narrow(v, 8, 7, kNearest); }
TQM_BOTH inline unsigned short float_to_half(float v, Rounding how) { return narrow((double)v, 5, 10, how); }
TQM_BOTH inline unsigned short float_to_bfloat(float v, Rounding how) { return narrow((double)v, 8, 7, how); }
TQM_BOTH inline unsigned short float_to_bfloat(float v) {
  const unsigned word = float_word(v);
  if ((word & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}
TQM_BOTH inline unsigned short float_to_half(float v) {
  const unsigned word = float_word(v);
  const unsigned size = word & 0x7fffffffu;
  if (size >= 0x38800000u && size < 0x477ff000u) {  // normal, and not rounded up to infinity
    const unsigned rounded = size + 0xfffu + ((size >> 13) & 1u) - 0x38000000u;
    return (unsigned short)(((word >> 16) & 0x8000u) | (rounded >> 13));
  }
  return narrow((double)v, 5, 10, kNearest);
}
// a·b + c rounded once to odd in double, so that the rounding to sixteen bits that follows is the only one that counts:
// a·b is exact there.
TQM_BOTH inline double fma_to_odd(float a, float b, float c) {
  const double p = (double)a * b;
  const double s = p + c;
  if (__builtin_isinf(s) || s != s) return s;
  const double rest = sum_rest(p, c, s);
  unsigned long long word;
  __builtin_memcpy(&word, &s, 8);
  if (rest == 0 || (word & 1)) return s;
  return nextafter(s, rest > 0 ? __builtin_inf() : -__builtin_inf());
}
}  // namespace tqm_cuda
#endif
