// SIMD within a word: __vadd4 and its like, lane by lane over four bytes or two halfwords.
#pragma once

namespace tqm_cuda {
template <class Lane, class F>
TQM_BOTH inline unsigned by_lane(unsigned a, unsigned b, F f) {
  constexpr int bits = 8 * (int)sizeof(Lane);
  constexpr unsigned mask = (1u << bits) - 1;
  unsigned result = 0;
  for (int i = 0; i < 32; i += bits) result |= ((unsigned)f((int)(Lane)(a >> i), (int)(Lane)(b >> i)) & mask) << i;
  return result;
}
}  // namespace tqm_cuda

#define TQM_LANES(name, signed4, expression)                                                             \
  TQM_BOTH inline unsigned name##4(unsigned p, unsigned q) {                                             \
    return tqm_cuda::by_lane<signed4 char>(p, q, [] TQM_BOTH(int a, int b) { return expression; });      \
  }                                                                                                      \
  TQM_BOTH inline unsigned name##2(unsigned p, unsigned q) {                                             \
    return tqm_cuda::by_lane<signed4 short>(p, q, [] TQM_BOTH(int a, int b) { return expression; });     \
  }
TQM_LANES(__vadd, unsigned, a + b)
TQM_LANES(__vsub, unsigned, a - b)
TQM_LANES(__vavgu, unsigned, (a + b + 1) >> 1)
TQM_LANES(__vavgs, signed, (a + b + (a + b >= 0)) >> 1)
TQM_LANES(__vhaddu, unsigned, (a + b) >> 1)
TQM_LANES(__vminu, unsigned, a < b ? a : b)
TQM_LANES(__vmaxu, unsigned, a > b ? a : b)
TQM_LANES(__vmins, signed, a < b ? a : b)
TQM_LANES(__vmaxs, signed, a > b ? a : b)
TQM_LANES(__vabsdiffu, unsigned, a > b ? a - b : b - a)
TQM_LANES(__vcmpeq, unsigned, a == b ? -1 : 0)
TQM_LANES(__vcmpne, unsigned, a != b ? -1 : 0)
TQM_LANES(__vcmpgtu, unsigned, a > b ? -1 : 0)
TQM_LANES(__vcmpgts, signed, a > b ? -1 : 0)
TQM_LANES(__vcmpgeu, unsigned, a >= b ? -1 : 0)
TQM_LANES(__vcmpltu, unsigned, a < b ? -1 : 0)
TQM_LANES(__vcmpleu, unsigned, a <= b ? -1 : 0)
TQM_LANES(__vseteq, unsigned, a == b)
TQM_LANES(__vsetgtu, unsigned, a > b)
#undef TQM_LANES
TQM_BOTH inline unsigned __vabs4(unsigned p) {
  return tqm_cuda::by_lane<signed char>(p, p, [] TQM_BOTH(int a, int) { return a < 0 ? -a : a; });
}
TQM_BOTH inline unsigned __vneg4(unsigned p) {
  return tqm_cuda::by_lane<signed char>(p, p, [] TQM_BOTH(int a, int) { return -a; });
}
TQM_BOTH inline unsigned __vsadu4(unsigned p, unsigned q) {
  unsigned sum = 0;
  for (int i = 0; i < 32; i += 8) {
    const unsigned a = (p >> i) & 0xffu, b = (q >> i) & 0xffu;
    sum += a > b ? a - b : b - a;
  }
  return sum;
}
