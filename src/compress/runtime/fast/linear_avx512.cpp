// The kernels with AVX-512 (F, BW, VL, DQ) and VNNI. One panel of 16 outputs is one register wide: a line of weights is
// read, unfolded once, and multiplied with each row's broadcast activations; with few rows several sums a row hide the
// latency.
#include "compress/runtime/fast/linear_view.hpp"

#if defined(__AVX512VNNI__)
#include <immintrin.h>

namespace tqm::compress::fast::avx512 {
namespace {

constexpr int64_t kAhead =
    4096;  // bytes; measured at 1, 2 and 4 KiB: 8.5 GB/s without, 11.9, 13.7, 15.1 (int4, one core)

// Independent sums a row: at least eight multiplications are in flight.
template <int R>
constexpr int kSums = R >= 5   ? 1
                      : R >= 3 ? 2
                      : R == 2 ? 4
                               : 8;

inline __m512 scales_of(const LinearView& w, int64_t at) {
  if (w.half_scales) {
    return _mm512_cvtph_ps(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(static_cast<const uint16_t*>(w.scales) + at)));
  }
  return _mm512_loadu_ps(static_cast<const float*>(w.scales) + at);
}

inline void store(const LinearView& w, const OutputView& out, int64_t row, int64_t panel, __m512 sum) {
  float* y = out.y + row * out.y_stride + panel * kPanel;
  if (w.bias) sum = _mm512_add_ps(sum, _mm512_loadu_ps(w.bias + panel * kPanel));
  if (out.add) sum = _mm512_add_ps(sum, _mm512_loadu_ps(y));
  _mm512_storeu_ps(y, sum);
}

// Decoding streams weights from memory; the hardware's own look-ahead ends at each page of 4 KiB, so we ask further.
template <int R>
inline void prefetch(const unsigned char* line) {
  if constexpr (R <= 4) _mm_prefetch(reinterpret_cast<const char*>(line) + kAhead, _MM_HINT_T0);
}

template <class T>
inline __m512i broadcast32(const T* from) {
  int32_t bits;
  __builtin_memcpy(&bits, from, 4);
  return _mm512_set1_epi32(bits);
}

template <int R, int S>
inline __m512 total(const __m512 (&sums)[R][S], int row) {
  __m512 sum = sums[row][0];
  for (int s = 1; s < S; ++s) sum = _mm512_add_ps(sum, sums[row][s]);
  return sum;
}

struct F32 {
  static constexpr int kColumns = 1;
  static inline void unfold(const unsigned char* line, __m512* w) { w[0] = _mm512_load_ps(line); }
};
struct F16 {
  static constexpr int kColumns = 2;
  static inline void unfold(const unsigned char* line, __m512* w) {
    w[0] = _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(line)));
    w[1] = _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(line + 32)));
  }
};
struct Bf16 {
  static constexpr int kColumns = 2;
  static inline void unfold(const unsigned char* line, __m512* w) {
    const __m512i pairs = _mm512_load_si512(line);
    w[0] = _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
    w[1] = _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(static_cast<int>(0xffff0000U))));
  }
};

template <class Format, int R>
void floats(const LinearView& w, const InputView& x, int64_t row0, int64_t first, int64_t last, const OutputView& out) {
  constexpr int S = kSums<R>, C = Format::kColumns;
  const float* in = x.f32 + row0 * x.depth;
  for (int64_t panel = first; panel < last; ++panel) {
    const unsigned char* line = w.codes + panel * w.panel_bytes;
    __m512 sums[R][S];
    for (int r = 0; r < R; ++r) {
      for (int s = 0; s < S; ++s) sums[r][s] = _mm512_setzero_ps();
    }
    for (int64_t k = 0; k < w.depth; k += 8) {  // depth is a multiple of 64
#pragma GCC unroll 8
      for (int step = 0; step < 8; step += C) {
        __m512 v[C];
        Format::unfold(line, v);
        prefetch<R>(line);
        line += 64;
#pragma GCC unroll 2
        for (int c = 0; c < C; ++c) {
          for (int r = 0; r < R; ++r) {
            __m512& sum = sums[r][(step + c) % S];
            sum = _mm512_fmadd_ps(v[c], _mm512_set1_ps(in[r * x.depth + k + step + c]), sum);
          }
        }
      }
    }
    for (int r = 0; r < R; ++r) store(w, out, row0 + r, panel, total<R, S>(sums, r));
  }
}

template <int R>
void w8a8(const LinearView& w, const InputView& x, int64_t row0, int64_t first, int64_t last, const OutputView& out) {
  constexpr int S = kSums<R>;
  const int8_t* in = x.int8 + row0 * x.depth;
  for (int64_t panel = first; panel < last; ++panel) {
    const unsigned char* line = w.codes + panel * w.panel_bytes;
    __m512i sums[R][S];
    for (int r = 0; r < R; ++r) {
      for (int s = 0; s < S; ++s) sums[r][s] = _mm512_setzero_si512();
    }
    for (int64_t k = 0; k < w.depth; k += 32) {
#pragma GCC unroll 8
      for (int step = 0; step < 8; ++step) {
        const __m512i v = _mm512_load_si512(line + step * 64);
        prefetch<R>(line + step * 64);
        for (int r = 0; r < R; ++r) {
          __m512i& sum = sums[r][step % S];
          sum = _mm512_dpbusd_epi32(sum, v, broadcast32(in + r * x.depth + k + step * 4));
        }
      }
      line += 512;
    }
    const __m512 scale = scales_of(w, panel * kPanel);
    for (int r = 0; r < R; ++r) {
      __m512i sum = sums[r][0];
      for (int s = 1; s < S; ++s) sum = _mm512_add_epi32(sum, sums[r][s]);
      sum = _mm512_sub_epi32(sum, _mm512_set1_epi32(128 * x.int8_sums[row0 + r]));
      const __m512 both = _mm512_mul_ps(scale, _mm512_set1_ps(x.int8_scales[row0 + r]));
      store(w, out, row0 + r, panel, _mm512_mul_ps(_mm512_cvtepi32_ps(sum), both));
    }
  }
}

struct Int8 {
  static constexpr int kColumns = 4, kOffset = 128;
  static inline void unfold(const unsigned char* line, __m512i* w) {
    const __m512i words = _mm512_load_si512(line);
    w[0] = _mm512_and_si512(words, _mm512_set1_epi16(255));
    w[1] = _mm512_srli_epi16(words, 8);
  }
};
struct Int4 {
  static constexpr int kColumns = 8, kOffset = 8;
  static inline void unfold(const unsigned char* line, __m512i* w) {
    const __m512i words = _mm512_load_si512(line), low = _mm512_set1_epi16(15);
    w[0] = _mm512_and_si512(words, low);
    w[1] = _mm512_and_si512(_mm512_srli_epi16(words, 4), low);
    w[2] = _mm512_and_si512(_mm512_srli_epi16(words, 8), low);
    w[3] = _mm512_srli_epi16(words, 12);
  }
};

template <class Format, int R>
void codes(const LinearView& w, const InputView& x, int64_t row0, int64_t first, int64_t last, const OutputView& out) {
  constexpr int C = Format::kColumns, V = C / 2;
  constexpr int S = R >= 5 ? 1 : R >= 3 ? 2 : V;
  const int64_t lines_a_chunk = w.chunk / C, lines = w.depth / C;
  const int64_t chunks_a_group = w.groups == 1 ? w.chunks : w.chunks / w.groups;
  for (int64_t panel = first; panel < last; ++panel) {
    const unsigned char* base = w.codes + panel * w.panel_bytes;
    __m512 sums[R];
    for (int r = 0; r < R; ++r) sums[r] = _mm512_setzero_ps();
    int64_t left = 0, at = panel * w.groups * kPanel - kPanel;
    __m512 scale = _mm512_setzero_ps(), zero = _mm512_setzero_ps(), minimum = _mm512_setzero_ps();
    for (int64_t chunk = 0; chunk < w.chunks; ++chunk) {
      if (left == 0) {
        at += kPanel;
        left = chunks_a_group;
        scale = scales_of(w, at);
        if (w.zeros) {
          zero =
              _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w.zeros + at))));
        }
        if (w.minimums) {
          const auto* from = reinterpret_cast<const __m256i*>(w.minimums + at);
          const __m512 shift = _mm512_set1_ps(static_cast<float>(Format::kOffset));
          minimum = _mm512_fmadd_ps(scale, shift, _mm512_cvtph_ps(_mm256_loadu_si256(from)));
        }
      }
      --left;
      const int64_t begin = chunk * lines_a_chunk, end = begin + lines_a_chunk < lines ? begin + lines_a_chunk : lines;
      __m512i whole[R][S];
      for (int r = 0; r < R; ++r) {
        for (int s = 0; s < S; ++s) whole[r][s] = _mm512_setzero_si512();
      }
      for (int64_t line = begin; line < end; ++line) {
        __m512i v[V];
        Format::unfold(base + line * 64, v);
        prefetch<R>(base + line * 64);
#pragma GCC unroll 4
        for (int c = 0; c < V; ++c) {
          for (int r = 0; r < R; ++r) {
            const int16_t* pair = x.int16 + (row0 + r) * x.depth + line * C + c * 2;
            whole[r][c % S] = _mm512_dpwssd_epi32(whole[r][c % S], v[c], broadcast32(pair));
          }
        }
      }
      for (int r = 0; r < R; ++r) {
        __m512i sum = whole[r][0];
        for (int s = 1; s < S; ++s) sum = _mm512_add_epi32(sum, whole[r][s]);
        const int32_t in_sum = x.int16_sums[(row0 + r) * w.chunks + chunk];
        __m512 exact = _mm512_cvtepi32_ps(_mm512_sub_epi32(sum, _mm512_set1_epi32(Format::kOffset * in_sum)));
        if (w.zeros) exact = _mm512_fnmadd_ps(zero, _mm512_set1_ps(static_cast<float>(in_sum)), exact);
        sums[r] = _mm512_fmadd_ps(scale, exact, sums[r]);
        if (w.minimums) sums[r] = _mm512_fmadd_ps(minimum, _mm512_set1_ps(static_cast<float>(in_sum)), sums[r]);
      }
    }
    for (int r = 0; r < R; ++r) {
      store(w, out, row0 + r, panel, _mm512_mul_ps(sums[r], _mm512_set1_ps(x.int16_scales[row0 + r])));
    }
  }
}

#define TQM_ROWS(function)                                \
  for (int64_t row = 0; row < x.rows; row += kMostRows) { \
    switch (x.rows - row) {                               \
      case 1:                                             \
        function(1);                                      \
        break;                                            \
      case 2:                                             \
        function(2);                                      \
        break;                                            \
      case 3:                                             \
        function(3);                                      \
        break;                                            \
      case 4:                                             \
        function(4);                                      \
        break;                                            \
      case 5:                                             \
        function(5);                                      \
        break;                                            \
      case 6:                                             \
        function(6);                                      \
        break;                                            \
      case 7:                                             \
        function(7);                                      \
        break;                                            \
      default:                                            \
        function(8);                                      \
        break;                                            \
    }                                                     \
  }

// Rows are taken eight at a time over a few panels, whose codes stay in the first-level cache.
template <class Format>
void by_rows(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  const int64_t step = x.rows <= kMostRows ? last - first : 1;
  for (int64_t panel = first; panel < last; panel += step) {
#define TQM_CALL(R) floats<Format, R>(w, x, row, panel, panel + step, out)
    TQM_ROWS(TQM_CALL)
#undef TQM_CALL
  }
}

template <class Format>
void codes_by_rows(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  const int64_t step = x.rows <= kMostRows ? last - first : 1;
  for (int64_t panel = first; panel < last; panel += step) {
#define TQM_CALL(R) codes<Format, R>(w, x, row, panel, panel + step, out)
    TQM_ROWS(TQM_CALL)
#undef TQM_CALL
  }
}

}  // namespace

void linear_f32(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  by_rows<F32>(w, x, first, last, out);
}
void linear_f16(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  by_rows<F16>(w, x, first, last, out);
}
void linear_bf16(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  by_rows<Bf16>(w, x, first, last, out);
}
void linear_w8a8(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  const int64_t step = x.rows <= kMostRows ? last - first : 1;
  for (int64_t panel = first; panel < last; panel += step) {
#define TQM_CALL(R) w8a8<R>(w, x, row, panel, panel + step, out)
    TQM_ROWS(TQM_CALL)
#undef TQM_CALL
  }
}
void linear_int8(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  codes_by_rows<Int8>(w, x, first, last, out);
}
void linear_int4(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  codes_by_rows<Int4>(w, x, first, last, out);
}

}  // namespace tqm::compress::fast::avx512

#endif
