// bf16 products with AVX512-BF16 for many rows: activations are rounded to bf16, sums are f32.
#include "compress/runtime/fast/linear_view.hpp"

#if defined(__AVX512BF16__)
#include <immintrin.h>

namespace tqm::compress::fast::avx512_bf16 {
namespace {

template <int R>
void products(const LinearView& w, const InputView& x, int64_t row0, int64_t panel, const OutputView& out) {
  constexpr int S = R >= 5 ? 1 : R >= 3 ? 2 : 4;
  const unsigned char* line = w.codes + panel * w.panel_bytes;
  const uint16_t* in = x.bf16 + row0 * x.depth;
  __m512 sums[R][S];
  for (int r = 0; r < R; ++r) {
    for (int s = 0; s < S; ++s) sums[r][s] = _mm512_setzero_ps();
  }
  for (int64_t k = 0; k < w.depth; k += 8) {
#pragma GCC unroll 4
    for (int step = 0; step < 4; ++step) {
      const __m512bh v = reinterpret_cast<__m512bh>(_mm512_load_si512(line + step * 64));
      for (int r = 0; r < R; ++r) {
        int32_t pair;
        __builtin_memcpy(&pair, in + r * x.depth + k + step * 2, 4);
        sums[r][step % S] = _mm512_dpbf16_ps(sums[r][step % S], v, reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair)));
      }
    }
    line += 256;
  }
  for (int r = 0; r < R; ++r) {
    __m512 sum = sums[r][0];
    for (int s = 1; s < S; ++s) sum = _mm512_add_ps(sum, sums[r][s]);
    float* y = out.y + (row0 + r) * out.y_stride + panel * kPanel;
    if (w.bias) sum = _mm512_add_ps(sum, _mm512_loadu_ps(w.bias + panel * kPanel));
    if (out.add) sum = _mm512_add_ps(sum, _mm512_loadu_ps(y));
    _mm512_storeu_ps(y, sum);
  }
}

}  // namespace

void linear_bf16(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  for (int64_t panel = first; panel < last; ++panel) {
    int64_t row = 0;
    for (; row + 12 <= x.rows; row += 12) products<12>(w, x, row, panel, out);
    for (; row + 4 <= x.rows; row += 4) products<4>(w, x, row, panel, out);
    for (; row < x.rows; ++row) products<1>(w, x, row, panel, out);
  }
}

}  // namespace tqm::compress::fast::avx512_bf16

#endif
