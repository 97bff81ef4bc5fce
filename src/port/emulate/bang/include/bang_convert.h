// Conversions of vectors and scalars. Where a call has a fix_position p, the integer stands for itself times two to the
// power of p.
#pragma once

#include "bang_types.h"

#define TQM_TO(name, to, from, mode)                                                                                  \
  TQM_CALL void __bang_##name(to* dst, const from* src, int src_count) {                                              \
    tqm_bang::convert("__bang_" #name, tqm_bang::type_of<to>, tqm_bang::type_of<from>, tqm_bang::Rounding::mode, dst, \
                      src, src_count, 0, 0);                                                                          \
  }
#define TQM_TO_STRIDED(name, to, from, mode)                                                                          \
  TQM_CALL void __bang_##name(to* dst, const from* src, int src_count, int dst_stride, int src_stride, int segnum) {  \
    tqm_bang::convert("__bang_" #name, tqm_bang::type_of<to>, tqm_bang::type_of<from>, tqm_bang::Rounding::mode, dst, \
                      src, src_count, 0, 0, dst_stride, src_stride, segnum);                                          \
  }
#define TQM_TO_INT(name, to, from, mode)                                                                              \
  TQM_CALL void __bang_##name(to* dst, const from* src, int src_count, int fix_position) {                            \
    tqm_bang::convert("__bang_" #name, tqm_bang::type_of<to>, tqm_bang::type_of<from>, tqm_bang::Rounding::mode, dst, \
                      src, src_count, fix_position, 0);                                                               \
  }
#define TQM_FROM_INT(name, to, from, mode)                                                                            \
  TQM_CALL void __bang_##name(to* dst, const from* src, int src_count, int fix_position) {                            \
    tqm_bang::convert("__bang_" #name, tqm_bang::type_of<to>, tqm_bang::type_of<from>, tqm_bang::Rounding::mode, dst, \
                      src, src_count, 0, fix_position);                                                               \
  }
#define TQM_MODES(form, name, to, from)                                                         \
  form(name##_tz, to, from, tz) form(name##_oz, to, from, oz) form(name##_up, to, from, up)     \
      form(name##_dn, to, from, dn) form(name##_rd, to, from, rd) form(name##_rm, to, from, rm) \
          form(name##_rn, to, from, rn)

TQM_MODES(TQM_TO, float2half, half, float)
TQM_MODES(TQM_TO_STRIDED, float2half, half, float)
TQM_MODES(TQM_TO, float2bfloat16, bfloat16_t, float)
TQM_MODES(TQM_TO, half2short, short, half)
TQM_MODES(TQM_TO, bfloat162float, float, bfloat16_t)
TQM_TO(float2half, half, float, rn)            // the newer toolchain's default
TQM_TO(float2bfloat16, bfloat16_t, float, rn)  // likewise
TQM_TO(bfloat162float, float, bfloat16_t, rn)
TQM_TO(half2float, float, half, tz)
TQM_TO_STRIDED(half2float, float, half, tz)
TQM_TO(short2half, half, short, rn)
TQM_TO(uchar2half, half, unsigned char, rn)
TQM_TO(uchar2float, float, unsigned char, rn)
TQM_TO(half2uchar_dn, unsigned char, half, dn)
TQM_TO(half2char_dn, signed char, half, dn)

// int, int16, int8: the names of the 3.0 headers, and int32 as the newer toolchain says it
TQM_MODES(TQM_TO_INT, float2int, int, float)
TQM_MODES(TQM_TO_INT, float2int32, int, float)
TQM_MODES(TQM_TO_INT, half2int32, int, half)
TQM_MODES(TQM_TO_INT, float2int16, short, float)
TQM_MODES(TQM_TO_INT, half2int16, short, half)
TQM_MODES(TQM_TO_INT, float2int8, signed char, float)
TQM_MODES(TQM_TO_INT, half2int8, signed char, half)
TQM_TO_INT(float2int32, int, float, tz)
TQM_TO_INT(half2int32, int, half, tz)
TQM_MODES(TQM_FROM_INT, int322float, float, int)
TQM_MODES(TQM_FROM_INT, int322half, half, int)
TQM_FROM_INT(int322float, float, int, rn)
TQM_FROM_INT(int322half, half, int, rn)
TQM_FROM_INT(int2float, float, int, tz)
TQM_FROM_INT(int162float, float, short, tz)
TQM_FROM_INT(int162half, half, short, tz)
TQM_FROM_INT(int82float, float, signed char, tz)
TQM_FROM_INT(int82half, half, signed char, tz)
#undef TQM_TO
#undef TQM_TO_STRIDED
#undef TQM_TO_INT
#undef TQM_FROM_INT
#undef TQM_MODES

#define TQM_INT_TO_INT(name, to, from)                                                                              \
  TQM_CALL void __bang_##name(to* dst, const from* src, int src_count, int dst_position, int src_position) {        \
    tqm_bang::convert("__bang_" #name, tqm_bang::type_of<to>, tqm_bang::type_of<from>, tqm_bang::Rounding::tz, dst, \
                      src, src_count, dst_position, src_position);                                                  \
  }
TQM_INT_TO_INT(int322int16, short, int)
TQM_INT_TO_INT(int2short, short, int)
TQM_INT_TO_INT(int322int8, signed char, int)
TQM_INT_TO_INT(int2char, signed char, int)
TQM_INT_TO_INT(int162int32, int, short)
TQM_INT_TO_INT(short2int, int, short)
TQM_INT_TO_INT(int162int8, signed char, short)
TQM_INT_TO_INT(short2char, signed char, short)
TQM_INT_TO_INT(int82int16, short, signed char)
TQM_INT_TO_INT(char2short, short, signed char)
TQM_INT_TO_INT(int82int32, int, signed char)
TQM_INT_TO_INT(char2int, int, signed char)
#undef TQM_INT_TO_INT

#define TQM_ONE(name, to, from, mode)                                                                            \
  TQM_CALL to name(from a) {                                                                                     \
    return tqm_bang::from_bits<to>(tqm_bang::convert_scalar(tqm_bang::type_of<to>, tqm_bang::type_of<from>,      \
                                                            tqm_bang::Rounding::mode, tqm_bang::bits<from>(a))); \
  }
#define TQM_ONES(name, to, from)                                                                     \
  TQM_ONE(name##_tz, to, from, tz)                                                                   \
  TQM_ONE(name##_oz, to, from, oz)                                                                   \
  TQM_ONE(name##_up, to, from, up)                                                                   \
  TQM_ONE(name##_dn, to, from, dn) TQM_ONE(name##_rd, to, from, rd) TQM_ONE(name##_rm, to, from, rm) \
      TQM_ONE(name##_rn, to, from, rn)
#define TQM_PAIR(name, to, from) TQM_ONES(__##name, to, from) TQM_ONE(__##name, to, from, tz)
TQM_ONES(__float2half, half, float)
TQM_ONE(__float2half, half, float, rn)
TQM_ONES(__float2bfloat16, bfloat16_t, float)
TQM_ONE(__float2bfloat16, bfloat16_t, float, rn)
TQM_ONES(__half2float, float, half)
TQM_ONE(__half2float, float, half, rn)
TQM_ONE(__bfloat162float, float, bfloat16_t, rn)
TQM_PAIR(half2int, int, half)
TQM_PAIR(half2int32, int, half)
TQM_PAIR(half2short, short, half)
TQM_PAIR(half2char, char, half)
TQM_PAIR(half2uchar, unsigned char, half)
TQM_PAIR(half2uint, unsigned int, half)
TQM_PAIR(half2ushort, unsigned short, half)
TQM_PAIR(float2int, int, float)
TQM_PAIR(float2int32, int, float)
TQM_PAIR(float2short, short, float)
TQM_PAIR(float2char, char, float)
TQM_PAIR(float2uchar, unsigned char, float)
TQM_PAIR(float2uint, unsigned int, float)
TQM_PAIR(float2ushort, unsigned short, float)
TQM_PAIR(int2half, half, int)
TQM_PAIR(uint2half, half, unsigned int)
TQM_PAIR(short2half, half, short)
TQM_PAIR(ushort2half, half, unsigned short)
TQM_PAIR(char2half, half, char)
TQM_PAIR(uchar2half, half, unsigned char)
TQM_ONES(__int2float, float, int)
TQM_ONE(__int2float, float, int, rn)
TQM_ONES(__uint2float, float, unsigned int)
TQM_ONE(__uint2float, float, unsigned int, rn)
TQM_PAIR(short2float, float, short)
TQM_PAIR(ushort2float, float, unsigned short)
TQM_PAIR(char2float, float, char)
TQM_PAIR(uchar2float, float, unsigned char)
#undef TQM_ONE
#undef TQM_ONES
#undef TQM_PAIR
