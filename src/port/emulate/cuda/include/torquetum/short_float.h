// Arithmetic of a sixteen-bit float TQM_WORD and its pair TQM_WORD2; included once for __half and once for
// __nv_bfloat16. Float has more than twice the digits of either, so an operation in float, rounded again, is rounded
// right; a fused one goes by double.
struct __attribute__((aligned(4))) TQM_WORD2 {
  TQM_WORD x, y;
  TQM_WORD2() = default;
  TQM_BOTH TQM_WORD2(TQM_WORD a, TQM_WORD b) : x(a), y(b) {}
};

#define TQM_OPERATOR(op)                                                                             \
  TQM_BOTH inline TQM_WORD operator op(TQM_WORD a, TQM_WORD b) { return TQM_WORD((float)a op(float) b); } \
  TQM_BOTH inline TQM_WORD& operator op##=(TQM_WORD& a, TQM_WORD b) { return a = a op b; }           \
  TQM_BOTH inline TQM_WORD2 operator op(TQM_WORD2 a, TQM_WORD2 b) {                                  \
    return TQM_WORD2(a.x op b.x, a.y op b.y);                                                        \
  }                                                                                                  \
  TQM_BOTH inline TQM_WORD2& operator op##=(TQM_WORD2& a, TQM_WORD2 b) { return a = a op b; }
TQM_OPERATOR(+)
TQM_OPERATOR(-)
TQM_OPERATOR(*)
TQM_OPERATOR(/)
#undef TQM_OPERATOR
TQM_BOTH inline TQM_WORD operator-(TQM_WORD a) {
  a.bits = (unsigned short)(a.bits ^ 0x8000);
  return a;
}
TQM_BOTH inline TQM_WORD operator+(TQM_WORD a) { return a; }
TQM_BOTH inline TQM_WORD2 operator-(TQM_WORD2 a) { return TQM_WORD2(-a.x, -a.y); }
TQM_BOTH inline TQM_WORD& operator++(TQM_WORD& a) { return a = a + TQM_WORD(1.0f); }
TQM_BOTH inline TQM_WORD& operator--(TQM_WORD& a) { return a = a - TQM_WORD(1.0f); }
#define TQM_COMPARISON(op) \
  TQM_BOTH inline bool operator op(TQM_WORD a, TQM_WORD b) { return (float)a op(float) b; }
TQM_COMPARISON(==)
TQM_COMPARISON(!=)
TQM_COMPARISON(<)
TQM_COMPARISON(<=)
TQM_COMPARISON(>)
TQM_COMPARISON(>=)
#undef TQM_COMPARISON

#define TQM_NAMED(name, op)                                                          \
  TQM_BOTH inline TQM_WORD name(TQM_WORD a, TQM_WORD b) { return a op b; }           \
  TQM_BOTH inline TQM_WORD name##_rn(TQM_WORD a, TQM_WORD b) { return a op b; }      \
  TQM_BOTH inline TQM_WORD2 name##2(TQM_WORD2 a, TQM_WORD2 b) { return a op b; }     \
  TQM_BOTH inline TQM_WORD2 name##2_rn(TQM_WORD2 a, TQM_WORD2 b) { return a op b; }
TQM_NAMED(__hadd, +)
TQM_NAMED(__hsub, -)
TQM_NAMED(__hmul, *)
#undef TQM_NAMED
TQM_BOTH inline TQM_WORD __hdiv(TQM_WORD a, TQM_WORD b) { return a / b; }
TQM_BOTH inline TQM_WORD2 __h2div(TQM_WORD2 a, TQM_WORD2 b) { return a / b; }
TQM_BOTH inline TQM_WORD __hneg(TQM_WORD a) { return -a; }
TQM_BOTH inline TQM_WORD2 __hneg2(TQM_WORD2 a) { return -a; }
TQM_BOTH inline TQM_WORD __habs(TQM_WORD a) {
  a.bits = (unsigned short)(a.bits & 0x7fff);
  return a;
}
TQM_BOTH inline TQM_WORD2 __habs2(TQM_WORD2 a) { return TQM_WORD2(__habs(a.x), __habs(a.y)); }
TQM_BOTH inline TQM_WORD __hfma(TQM_WORD a, TQM_WORD b, TQM_WORD c) {
  TQM_WORD r;
  r.bits = TQM_DOUBLE_TO_BITS(tqm_cuda::fma_to_odd((float)a, (float)b, (float)c));
  return r;
}
TQM_BOTH inline TQM_WORD2 __hfma2(TQM_WORD2 a, TQM_WORD2 b, TQM_WORD2 c) {
  return TQM_WORD2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
TQM_BOTH inline TQM_WORD __hfma_relu(TQM_WORD a, TQM_WORD b, TQM_WORD c) {
  const TQM_WORD r = __hfma(a, b, c);
  return (float)r < 0 ? TQM_WORD(0.0f) : r;
}
TQM_BOTH inline bool __hisnan(TQM_WORD a) { return (float)a != (float)a; }
TQM_BOTH inline int __hisinf(TQM_WORD a) { return __builtin_isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }
#define TQM_NAMED(name, op)                                                                              \
  TQM_BOTH inline bool name(TQM_WORD a, TQM_WORD b) { return a op b; }                                   \
  TQM_BOTH inline TQM_WORD2 name##2(TQM_WORD2 a, TQM_WORD2 b) {                                          \
    return TQM_WORD2(TQM_WORD(a.x op b.x ? 1.0f : 0.0f), TQM_WORD(a.y op b.y ? 1.0f : 0.0f));            \
  }
TQM_NAMED(__heq, ==)
TQM_NAMED(__hne, !=)
TQM_NAMED(__hlt, <)
TQM_NAMED(__hle, <=)
TQM_NAMED(__hgt, >)
TQM_NAMED(__hge, >=)
#undef TQM_NAMED
#define TQM_BOTH_LANES(name, op) \
  TQM_BOTH inline bool name(TQM_WORD2 a, TQM_WORD2 b) { return a.x op b.x && a.y op b.y; }
TQM_BOTH_LANES(__hbeq2, ==)
TQM_BOTH_LANES(__hbne2, !=)
TQM_BOTH_LANES(__hblt2, <)
TQM_BOTH_LANES(__hble2, <=)
TQM_BOTH_LANES(__hbgt2, >)
TQM_BOTH_LANES(__hbge2, >=)
#undef TQM_BOTH_LANES
TQM_BOTH inline TQM_WORD __hmax(TQM_WORD a, TQM_WORD b) { return TQM_WORD(fmaxf((float)a, (float)b)); }
TQM_BOTH inline TQM_WORD __hmin(TQM_WORD a, TQM_WORD b) { return TQM_WORD(fminf((float)a, (float)b)); }
TQM_BOTH inline TQM_WORD2 __hmax2(TQM_WORD2 a, TQM_WORD2 b) { return TQM_WORD2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
TQM_BOTH inline TQM_WORD2 __hmin2(TQM_WORD2 a, TQM_WORD2 b) { return TQM_WORD2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }

#define TQM_FUNCTION(name, expression)                                                             \
  TQM_BOTH inline TQM_WORD h##name(TQM_WORD a) {                                                   \
    const double v = (double)(float)a;                                                             \
    TQM_WORD r;                                                                                    \
    r.bits = TQM_DOUBLE_TO_BITS(expression);                                                       \
    return r;                                                                                      \
  }                                                                                                \
  TQM_BOTH inline TQM_WORD2 h2##name(TQM_WORD2 a) { return TQM_WORD2(h##name(a.x), h##name(a.y)); }
TQM_FUNCTION(exp, exp(v))
TQM_FUNCTION(exp2, exp2(v))
TQM_FUNCTION(exp10, pow(10.0, v))
TQM_FUNCTION(log, log(v))
TQM_FUNCTION(log2, log2(v))
TQM_FUNCTION(log10, log10(v))
TQM_FUNCTION(sqrt, sqrt(v))
TQM_FUNCTION(rsqrt, 1.0 / sqrt(v))
TQM_FUNCTION(rcp, 1.0 / v)
TQM_FUNCTION(sin, sin(v))
TQM_FUNCTION(cos, cos(v))
TQM_FUNCTION(tanh, tanh(v))
TQM_FUNCTION(ceil, ceil(v))
TQM_FUNCTION(floor, floor(v))
TQM_FUNCTION(rint, rint(v))
TQM_FUNCTION(trunc, trunc(v))
#undef TQM_FUNCTION

#ifdef __CUDA__
TQM_ATOMIC(atomicAdd, TQM_WORD, old + v)
__device__ inline TQM_WORD2 atomicAdd(TQM_WORD2* p, TQM_WORD2 v) {
  return TQM_WORD2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y));
}
#define TQM_SHORT_SHUFFLES(T)                                                                                \
  __device__ inline T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {                            \
    return tqm_cuda::from_word<T>(tqm_cuda_shuffle(mask, tqm_cuda::to_word(v), 0, (unsigned)lane, width));   \
  }                                                                                                          \
  __device__ inline T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32) {                      \
    return tqm_cuda::from_word<T>(tqm_cuda_shuffle(mask, tqm_cuda::to_word(v), 1, by, width));               \
  }                                                                                                          \
  __device__ inline T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32) {                    \
    return tqm_cuda::from_word<T>(tqm_cuda_shuffle(mask, tqm_cuda::to_word(v), 2, by, width));               \
  }                                                                                                          \
  __device__ inline T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32) {                        \
    return tqm_cuda::from_word<T>(tqm_cuda_shuffle(mask, tqm_cuda::to_word(v), 3, (unsigned)with, width));   \
  }
TQM_SHORT_SHUFFLES(TQM_WORD)
TQM_SHORT_SHUFFLES(TQM_WORD2)
#undef TQM_SHORT_SHUFFLES
#endif

#undef TQM_WORD
#undef TQM_WORD2
#undef TQM_TO_BITS
#undef TQM_DOUBLE_TO_BITS
#undef TQM_TO_FLOAT
