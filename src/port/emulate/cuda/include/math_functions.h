// Device math: what the C library does not have already, and CUDA's intrinsics. The fast ones (__expf and its like)
// compute the exact function: a result within the documented error of the fast one, and never worse.
#pragma once

#include "torquetum/runtime_abi.h"
#include "math_constants.h"
#include "torquetum/rounding.h"
#include "vector_types.h"

#ifdef __cplusplus
#define TQM_LEAST_AND_MOST(A, B, R)                             \
  TQM_BOTH inline R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; } \
  TQM_BOTH inline R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#ifdef __CUDA__
TQM_LEAST_AND_MOST(int, int, int)
TQM_LEAST_AND_MOST(unsigned, unsigned, unsigned)
TQM_LEAST_AND_MOST(int, unsigned, unsigned)
TQM_LEAST_AND_MOST(unsigned, int, unsigned)
TQM_LEAST_AND_MOST(long, long, long)
TQM_LEAST_AND_MOST(unsigned long, unsigned long, unsigned long)
TQM_LEAST_AND_MOST(long, unsigned long, unsigned long)
TQM_LEAST_AND_MOST(unsigned long, long, unsigned long)
TQM_LEAST_AND_MOST(long long, long long, long long)
TQM_LEAST_AND_MOST(unsigned long long, unsigned long long, unsigned long long)
TQM_LEAST_AND_MOST(long long, unsigned long long, unsigned long long)
TQM_LEAST_AND_MOST(unsigned long long, long long, unsigned long long)
TQM_BOTH inline float min(float a, float b) { return fminf(a, b); }
TQM_BOTH inline float max(float a, float b) { return fmaxf(a, b); }
TQM_BOTH inline double min(double a, double b) { return fmin(a, b); }
TQM_BOTH inline double max(double a, double b) { return fmax(a, b); }
TQM_BOTH inline double min(float a, double b) { return fmin((double)a, b); }
TQM_BOTH inline double max(float a, double b) { return fmax((double)a, b); }
TQM_BOTH inline double min(double a, float b) { return fmin(a, (double)b); }
TQM_BOTH inline double max(double a, float b) { return fmax(a, (double)b); }
TQM_BOTH inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
TQM_BOTH inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
TQM_BOTH inline long long llmin(long long a, long long b) { return a < b ? a : b; }
TQM_BOTH inline long long llmax(long long a, long long b) { return a > b ? a : b; }
TQM_BOTH inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
TQM_BOTH inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
#endif
#undef TQM_LEAST_AND_MOST

// In double and rounded once more: within one unit in the last place.
TQM_BOTH inline float rsqrtf(float x) { return tqm_cuda_rsqrtf(x); }
TQM_BOTH inline double rsqrt(double x) { return 1.0 / sqrt(x); }
TQM_BOTH inline float rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
TQM_BOTH inline double rcbrt(double x) { return 1.0 / cbrt(x); }
TQM_BOTH inline float fdividef(float a, float b) { return a / b; }
TQM_BOTH inline float norm3df(float a, float b, float c) {
  return (float)sqrt((double)a * a + (double)b * b + (double)c * c);
}
TQM_BOTH inline float norm4df(float a, float b, float c, float d) {
  return (float)sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d);
}
TQM_BOTH inline float rnorm3df(float a, float b, float c) {
  return (float)(1 / sqrt((double)a * a + (double)b * b + (double)c * c));
}
TQM_BOTH inline float rnorm4df(float a, float b, float c, float d) {
  return (float)(1 / sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d));
}
TQM_BOTH inline double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
TQM_BOTH inline double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
TQM_BOTH inline double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
TQM_BOTH inline float rhypotf(float a, float b) { return (float)(1 / sqrt((double)a * a + (double)b * b)); }
TQM_BOTH inline double rhypot(double a, double b) { return 1 / hypot(a, b); }

// sin(πx) and cos(πx): x is brought into half a turn first, which is exact.
TQM_BOTH inline double sinpi(double x) {
  const double r = fmod(x, 2.0);
  if (r == 0 || r == 1 || r == -1) return copysign(0.0, x);
  return sin(3.14159265358979323846 * r);
}
TQM_BOTH inline double cospi(double x) {
  const double r = fabs(fmod(x, 2.0));
  if (r == 0.5 || r == 1.5) return 0.0;
  return cos(3.14159265358979323846 * r);
}
TQM_BOTH inline float sinpif(float x) { return (float)sinpi((double)x); }
TQM_BOTH inline float cospif(float x) { return (float)cospi((double)x); }
TQM_BOTH inline void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
TQM_BOTH inline void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}
TQM_BOTH inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
TQM_BOTH inline float normcdff(float x) { return (float)normcdf((double)x); }
TQM_BOTH inline double erfcx(double x) {
  if (x < 25) return exp(x * x) * erfc(x);
  const double r = 1 / (x * x);  // the asymptotic series, Abramowitz and Stegun 7.1.23
  return 0.56418958354775628695 / x * (1 - r / 2 * (1 - 1.5 * r * (1 - 2.5 * r)));
}
TQM_BOTH inline float erfcxf(float x) { return (float)erfcx((double)x); }
// Newton's method on erf from Giles' single precision start (M. Giles, GPU Computing Gems 2, "Approximating the erfinv
// function").
TQM_BOTH inline double erfinv(double y) {
  if (!(y > -1 && y < 1)) return y == 1 ? CUDART_INF : y == -1 ? -CUDART_INF : CUDART_NAN;
  double w = -log((1 - y) * (1 + y));
  double p;
  if (w < 5) {
    w -= 2.5;
    p = 2.81022636e-08;
    p = 3.43273939e-07 + p * w;
    p = -3.5233877e-06 + p * w;
    p = -4.39150654e-06 + p * w;
    p = 0.00021858087 + p * w;
    p = -0.00125372503 + p * w;
    p = -0.00417768164 + p * w;
    p = 0.246640727 + p * w;
    p = 1.50140941 + p * w;
  } else {
    w = sqrt(w) - 3;
    p = -0.000200214257;
    p = 0.000100950558 + p * w;
    p = 0.00134934322 + p * w;
    p = -0.00367342844 + p * w;
    p = 0.00573950773 + p * w;
    p = -0.0076224613 + p * w;
    p = 0.00943887047 + p * w;
    p = 1.00167406 + p * w;
    p = 2.83297682 + p * w;
  }
  double x = p * y;
  for (int i = 0; i < 2; ++i) {
    const double error = y < 0 ? -(erfc(-x) - (1 + y)) : erfc(x) - (1 - y);
    x += error / (1.12837916709551257390 * exp(-x * x));
  }
  return x;
}
TQM_BOTH inline double erfcinv(double y) { return erfinv(1 - y); }
TQM_BOTH inline double normcdfinv(double p) { return 1.41421356237309504880 * erfinv(2 * p - 1); }
TQM_BOTH inline float erfinvf(float y) { return (float)erfinv((double)y); }
TQM_BOTH inline float erfcinvf(float y) { return (float)erfinv(1 - (double)y); }
TQM_BOTH inline float normcdfinvf(float p) { return (float)normcdfinv((double)p); }

TQM_BOTH inline float __expf(float x) { return expf(x); }
TQM_BOTH inline float __exp10f(float x) { return (float)pow(10.0, (double)x); }
TQM_BOTH inline float __exp2f(float x) { return exp2f(x); }
TQM_BOTH inline float __logf(float x) { return logf(x); }
TQM_BOTH inline float __log2f(float x) { return log2f(x); }
TQM_BOTH inline float __log10f(float x) { return log10f(x); }
TQM_BOTH inline float __powf(float x, float y) { return powf(x, y); }
TQM_BOTH inline float __sinf(float x) { return sinf(x); }
TQM_BOTH inline float __cosf(float x) { return cosf(x); }
TQM_BOTH inline float __tanf(float x) { return tanf(x); }
TQM_BOTH inline float __tanhf(float x) { return tanhf(x); }
TQM_BOTH inline void __sincosf(float x, float* s, float* c) {
  *s = sinf(x);
  *c = cosf(x);
}
// 0 for 2^126 < |b| < 2^128, as documented.
TQM_BOTH inline float __fdividef(float a, float b) {
  const float size = fabsf(b);
  return size > 8.507059173e37f && size <= 3.402823466e38f ? copysignf(0.0f, a * b) : a / b;
}
TQM_BOTH inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
TQM_BOTH inline float __frsqrt_rn(float x) { return (float)(1.0 / sqrt((double)x)); }

TQM_BOTH inline int __popc(unsigned x) { return __builtin_popcount(x); }
TQM_BOTH inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
TQM_BOTH inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
TQM_BOTH inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
TQM_BOTH inline int __ffs(int x) { return __builtin_ffs(x); }
TQM_BOTH inline int __ffsll(long long x) { return __builtin_ffsll(x); }
TQM_BOTH inline unsigned __brev(unsigned x) {
  x = (x >> 16) | (x << 16);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  return ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
}
TQM_BOTH inline unsigned long long __brevll(unsigned long long x) {
  return ((unsigned long long)__brev((unsigned)x) << 32) | __brev((unsigned)(x >> 32));
}
TQM_BOTH inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = ((unsigned long long)b << 32) | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i);
    unsigned byte = (unsigned)(bytes >> (8 * (pick & 7))) & 0xffu;
    if (pick & 8) byte = byte & 0x80u ? 0xffu : 0;
    result |= byte << (8 * i);
  }
  return result;
}
TQM_BOTH inline int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
TQM_BOTH inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
TQM_BOTH inline long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
TQM_BOTH inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
TQM_BOTH inline int __mul24(int a, int b) {
  return (int)((unsigned)((int)((unsigned)a << 8) >> 8) * (unsigned)((int)((unsigned)b << 8) >> 8));
}
TQM_BOTH inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
TQM_BOTH inline unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}
TQM_BOTH inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
TQM_BOTH inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
TQM_BOTH inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
TQM_BOTH inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
TQM_BOTH inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
TQM_BOTH inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  by &= 31;
  return by ? (high << by) | (low >> (32 - by)) : high;
}
TQM_BOTH inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  by &= 31;
  return by ? (low >> by) | (high << (32 - by)) : low;
}
TQM_BOTH inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? low : __funnelshift_l(low, high, by);
}
TQM_BOTH inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? high : __funnelshift_r(low, high, by);
}
TQM_BOTH inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += (int)(signed char)(a >> (8 * i)) * (int)(signed char)(b >> (8 * i));
  return c;
}
TQM_BOTH inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += ((a >> (8 * i)) & 0xffu) * ((b >> (8 * i)) & 0xffu);
  return c;
}

#define TQM_BITS(name, From, To)       \
  TQM_BOTH inline To name(From v) {    \
    To bits;                           \
    __builtin_memcpy(&bits, &v, sizeof bits); \
    return bits;                       \
  }
TQM_BITS(__float_as_int, float, int)
TQM_BITS(__float_as_uint, float, unsigned)
TQM_BITS(__int_as_float, int, float)
TQM_BITS(__uint_as_float, unsigned, float)
TQM_BITS(__double_as_longlong, double, long long)
TQM_BITS(__longlong_as_double, long long, double)
#undef TQM_BITS
TQM_BOTH inline int __double2hiint(double d) { return (int)(__double_as_longlong(d) >> 32); }
TQM_BOTH inline int __double2loint(double d) { return (int)__double_as_longlong(d); }
TQM_BOTH inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)(((unsigned long long)(unsigned)high << 32) | (unsigned)low));
}

#ifdef __CUDA__
#include "torquetum/simd_video.h"
#endif
#endif
