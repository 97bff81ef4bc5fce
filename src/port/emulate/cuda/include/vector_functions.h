// make_float4 and its like.
#pragma once

#include "vector_types.h"

#ifdef __cplusplus
#define TQM_MAKE(T, name)                                                                              \
  TQM_BOTH constexpr inline name##1 make_##name##1(T x) { return name##1{x}; }                         \
  TQM_BOTH constexpr inline name##2 make_##name##2(T x, T y) { return name##2{x, y}; }                 \
  TQM_BOTH constexpr inline name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }         \
  TQM_BOTH constexpr inline name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

TQM_MAKE(signed char, char)
TQM_MAKE(unsigned char, uchar)
TQM_MAKE(short, short)
TQM_MAKE(unsigned short, ushort)
TQM_MAKE(int, int)
TQM_MAKE(unsigned int, uint)
TQM_MAKE(long, long)
TQM_MAKE(unsigned long, ulong)
TQM_MAKE(long long, longlong)
TQM_MAKE(unsigned long long, ulonglong)
TQM_MAKE(float, float)
TQM_MAKE(double, double)
#undef TQM_MAKE
#endif
