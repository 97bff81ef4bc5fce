// The built-in vector types: sizes and alignments of the CUDA C++ Programming Guide, table "Alignment Requirements".
#pragma once

#include "torquetum/qualifiers.h"

#define TQM_VECTORS(T, name, of2, of4)        \
  struct name##1 {                            \
    T x;                                      \
  };                                          \
  struct __attribute__((aligned(of2))) name##2 { \
    T x, y;                                   \
  };                                          \
  struct name##3 {                            \
    T x, y, z;                                \
  };                                          \
  struct __attribute__((aligned(of4))) name##4 { \
    T x, y, z, w;                             \
  };                                          \
  typedef struct name##1 name##1;             \
  typedef struct name##2 name##2;             \
  typedef struct name##3 name##3;             \
  typedef struct name##4 name##4;

TQM_VECTORS(signed char, char, 2, 4)
TQM_VECTORS(unsigned char, uchar, 2, 4)
TQM_VECTORS(short, short, 4, 8)
TQM_VECTORS(unsigned short, ushort, 4, 8)
TQM_VECTORS(int, int, 8, 16)
TQM_VECTORS(unsigned int, uint, 8, 16)
TQM_VECTORS(long, long, 16, 16)
TQM_VECTORS(unsigned long, ulong, 16, 16)
TQM_VECTORS(long long, longlong, 16, 16)
TQM_VECTORS(unsigned long long, ulonglong, 16, 16)
TQM_VECTORS(float, float, 8, 16)
TQM_VECTORS(double, double, 16, 16)
#undef TQM_VECTORS

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  TQM_BOTH constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  TQM_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  TQM_BOTH constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
