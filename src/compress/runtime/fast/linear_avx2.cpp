// The kernels with AVX2, FMA and F16C. A panel of 16 outputs is two registers wide; up to four rows are held at a time.
#include "compress/runtime/fast/linear_view.hpp"

#if defined(__AVX2__)
#include <immintrin.h>

namespace tqm::compress::fast::avx2 {
namespace {

template <int R>
constexpr int kSums = R >= 3   ? 1
                      : R == 2 ? 2
                               : 4;

inline void scales_of(const LinearView& w, int64_t at, __m256* scale) {
  for (int half = 0; half < 2; ++half) {
    if (w.half_scales) {
      const auto* from = static_cast<const uint16_t*>(w.scales) + at + half * 8;
      scale[half] = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    } else {
      scale[half] = _mm256_loadu_ps(static_cast<const float*>(w.scales) + at + half * 8);
    }
  }
}

inline void store(const LinearView& w, const OutputView& out, int64_t row, int64_t panel, const __m256* sums) {
  float* y = out.y + row * out.y_stride + panel * kPanel;
  for (int half = 0; half < 2; ++half) {
    __m256 sum = sums[half];
    if (w.bias) sum = _mm256_add_ps(sum, _mm256_loadu_ps(w.bias + panel * kPanel + half * 8));
    if (out.add) sum = _mm256_add_ps(sum, _mm256_loadu_ps(y + half * 8));
    _mm256_storeu_ps(y + half * 8, sum);
  }
}

// Decoding streams weights from memory; the hardware's own look-ahead ends at each page of 4 KiB, so we ask further.
inline void prefetch(const unsigned char* line) {
  _mm_prefetch(reinterpret_cast<const char*>(line) + 4096, _MM_HINT_T0);
}

template <class T>
inline __m256i broadcast32(const T* from) {
  int32_t bits;
  __builtin_memcpy(&bits, from, 4);
  return _mm256_set1_epi32(bits);
}

inline __m256i load(const unsigned char* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}

// unfold: half of a line to the vectors of its columns.
struct F32 {
  static constexpr int kColumns = 1;
  static inline void unfold(const unsigned char* line, int half, __m256* w) {
    w[0] = _mm256_load_ps(reinterpret_cast<const float*>(line) + half * 8);
  }
};
struct F16 {
  static constexpr int kColumns = 2;
  static inline void unfold(const unsigned char* line, int half, __m256* w) {
    w[0] = _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(line + half * 16)));
    w[1] = _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(line + 32 + half * 16)));
  }
};
struct Bf16 {
  static constexpr int kColumns = 2;
  static inline void unfold(const unsigned char* line, int half, __m256* w) {
    const __m256i pairs = load(line + half * 32);
    w[0] = _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
    w[1] = _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(static_cast<int>(0xffff0000U))));
  }
};

template <class Format, int R>
void floats(const LinearView& w, const InputView& x, int64_t row0, int64_t first, int64_t last, const OutputView& out) {
  constexpr int S = kSums<R>, C = Format::kColumns;
  const float* in = x.f32 + row0 * x.depth;
  for (int64_t panel = first; panel < last; ++panel) {
    const unsigned char* line = w.codes + panel * w.panel_bytes;
    __m256 sums[R][S][2];
    for (int r = 0; r < R; ++r) {
      for (int s = 0; s < S; ++s) sums[r][s][0] = sums[r][s][1] = _mm256_setzero_ps();
    }
    for (int64_t k = 0; k < w.depth; k += 4) {
#pragma GCC unroll 4
      for (int step = 0; step < 4; step += C) {
        __m256 low[C], high[C];
        Format::unfold(line, 0, low);
        Format::unfold(line, 1, high);
        prefetch(line);
        line += 64;
#pragma GCC unroll 2
        for (int c = 0; c < C; ++c) {
          for (int r = 0; r < R; ++r) {
            const __m256 value = _mm256_set1_ps(in[r * x.depth + k + step + c]);
            __m256* sum = sums[r][(step + c) % S];
            sum[0] = _mm256_fmadd_ps(low[c], value, sum[0]);
            sum[1] = _mm256_fmadd_ps(high[c], value, sum[1]);
          }
        }
      }
    }
    for (int r = 0; r < R; ++r) {
      for (int s = 1; s < S; ++s) {
        for (int half = 0; half < 2; ++half) sums[r][0][half] = _mm256_add_ps(sums[r][0][half], sums[r][s][half]);
      }
      store(w, out, row0 + r, panel, sums[r][0]);
    }
  }
}

// Without VNNI: bytes 0 and 2, and 1 and 3, of each output become two pairs of words, multiplied with the activations'
// words.
template <int R>
void w8a8(const LinearView& w, const InputView& x, int64_t row0, int64_t first, int64_t last, const OutputView& out) {
  const int8_t* in = x.int8 + row0 * x.depth;
  const __m256i low_byte = _mm256_set1_epi16(255);
  for (int64_t panel = first; panel < last; ++panel) {
    const unsigned char* line = w.codes + panel * w.panel_bytes;
    __m256i sums[R][2];
    for (int r = 0; r < R; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
    for (int64_t k = 0; k < w.depth; k += 4, line += 64) {
      const __m256i v[2] = {load(line), load(line + 32)};
      prefetch(line);
      for (int r = 0; r < R; ++r) {
        const __m256i four = broadcast32(in + r * x.depth + k);
        const __m256i odd = _mm256_srai_epi16(four, 8), even = _mm256_srai_epi16(_mm256_slli_epi16(four, 8), 8);
        for (int half = 0; half < 2; ++half) {
          const __m256i evens = _mm256_madd_epi16(_mm256_and_si256(v[half], low_byte), even);
          const __m256i odds = _mm256_madd_epi16(_mm256_srli_epi16(v[half], 8), odd);
          sums[r][half] = _mm256_add_epi32(sums[r][half], _mm256_add_epi32(evens, odds));
        }
      }
    }
    __m256 scale[2];
    scales_of(w, panel * kPanel, scale);
    for (int r = 0; r < R; ++r) {
      __m256 result[2];
      for (int half = 0; half < 2; ++half) {
        const __m256i sum = _mm256_sub_epi32(sums[r][half], _mm256_set1_epi32(128 * x.int8_sums[row0 + r]));
        const __m256 both = _mm256_mul_ps(scale[half], _mm256_set1_ps(x.int8_scales[row0 + r]));
        result[half] = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), both);
      }
      store(w, out, row0 + r, panel, result);
    }
  }
}

struct Int8 {
  static constexpr int kColumns = 4, kOffset = 128;
  static inline void unfold(__m256i words, __m256i* w) {
    w[0] = _mm256_and_si256(words, _mm256_set1_epi16(255));
    w[1] = _mm256_srli_epi16(words, 8);
  }
};
struct Int4 {
  static constexpr int kColumns = 8, kOffset = 8;
  static inline void unfold(__m256i words, __m256i* w) {
    const __m256i low = _mm256_set1_epi16(15);
    w[0] = _mm256_and_si256(words, low);
    w[1] = _mm256_and_si256(_mm256_srli_epi16(words, 4), low);
    w[2] = _mm256_and_si256(_mm256_srli_epi16(words, 8), low);
    w[3] = _mm256_srli_epi16(words, 12);
  }
};

template <class Format, int R>
void codes(const LinearView& w, const InputView& x, int64_t row0, int64_t first, int64_t last, const OutputView& out) {
  constexpr int C = Format::kColumns, V = C / 2;
  const int64_t lines_a_chunk = w.chunk / C, lines = w.depth / C;
  const int64_t chunks_a_group = w.groups == 1 ? w.chunks : w.chunks / w.groups;
  for (int64_t panel = first; panel < last; ++panel) {
    const unsigned char* base = w.codes + panel * w.panel_bytes;
    __m256 sums[R][2];
    for (int r = 0; r < R; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_ps();
    for (int64_t chunk = 0; chunk < w.chunks; ++chunk) {
      const int64_t begin = chunk * lines_a_chunk, end = begin + lines_a_chunk < lines ? begin + lines_a_chunk : lines;
      __m256i whole[R][2];
      for (int r = 0; r < R; ++r) whole[r][0] = whole[r][1] = _mm256_setzero_si256();
      for (int64_t line = begin; line < end; ++line) {
        prefetch(base + line * 64);
        for (int half = 0; half < 2; ++half) {
          __m256i v[V];
          Format::unfold(load(base + line * 64 + half * 32), v);
#pragma GCC unroll 4
          for (int c = 0; c < V; ++c) {
            for (int r = 0; r < R; ++r) {
              const __m256i pair = broadcast32(x.int16 + (row0 + r) * x.depth + line * C + c * 2);
              whole[r][half] = _mm256_add_epi32(whole[r][half], _mm256_madd_epi16(v[c], pair));
            }
          }
        }
      }
      const int64_t at = (panel * w.groups + chunk / chunks_a_group) * kPanel;
      __m256 scale[2];
      scales_of(w, at, scale);
      for (int r = 0; r < R; ++r) {
        const int32_t in_sum = x.int16_sums[(row0 + r) * w.chunks + chunk];
        const __m256i offset = _mm256_set1_epi32(Format::kOffset * in_sum);
        for (int half = 0; half < 2; ++half) {
          __m256 exact = _mm256_cvtepi32_ps(_mm256_sub_epi32(whole[r][half], offset));
          if (w.zeros) {
            const auto* from = reinterpret_cast<const __m128i*>(w.zeros + at + half * 8);
            const __m256 zero = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(from)));
            exact = _mm256_fnmadd_ps(zero, _mm256_set1_ps(static_cast<float>(in_sum)), exact);
          }
          sums[r][half] = _mm256_fmadd_ps(scale[half], exact, sums[r][half]);
          if (w.minimums) {
            const auto* from = reinterpret_cast<const __m128i*>(w.minimums + at + half * 8);
            const __m256 shift = _mm256_set1_ps(static_cast<float>(Format::kOffset));
            const __m256 minimum = _mm256_fmadd_ps(scale[half], shift, _mm256_cvtph_ps(_mm_loadu_si128(from)));
            sums[r][half] = _mm256_fmadd_ps(minimum, _mm256_set1_ps(static_cast<float>(in_sum)), sums[r][half]);
          }
        }
      }
    }
    for (int r = 0; r < R; ++r) {
      const __m256 in_scale = _mm256_set1_ps(x.int16_scales[row0 + r]);
      const __m256 result[2] = {_mm256_mul_ps(sums[r][0], in_scale), _mm256_mul_ps(sums[r][1], in_scale)};
      store(w, out, row0 + r, panel, result);
    }
  }
}

// Rows four at a time; with many rows one panel after another, so that its codes stay in the first-level cache.
template <class Run1, class Run2, class Run4>
void by_rows(int64_t rows, int64_t first, int64_t last, Run1 run1, Run2 run2, Run4 run4) {
  const int64_t step = rows <= 4 ? last - first : 1;
  for (int64_t panel = first; panel < last; panel += step) {
    int64_t row = 0;
    for (; row + 4 <= rows; row += 4) run4(row, panel, panel + step);
    for (; row + 2 <= rows; row += 2) run2(row, panel, panel + step);
    for (; row < rows; ++row) run1(row, panel, panel + step);
  }
}

#define TQM_RUN(...) [&](int64_t row, int64_t from, int64_t to) { __VA_ARGS__(w, x, row, from, to, out); }
#define TQM_LINEAR(name, ...)                                                                              \
  void name(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) { \
    by_rows(x.rows, first, last, __VA_ARGS__);                                                             \
  }

}  // namespace

TQM_LINEAR(linear_f32, TQM_RUN(floats<F32, 1>), TQM_RUN(floats<F32, 2>), TQM_RUN(floats<F32, 4>))
TQM_LINEAR(linear_f16, TQM_RUN(floats<F16, 1>), TQM_RUN(floats<F16, 2>), TQM_RUN(floats<F16, 4>))
TQM_LINEAR(linear_bf16, TQM_RUN(floats<Bf16, 1>), TQM_RUN(floats<Bf16, 2>), TQM_RUN(floats<Bf16, 4>))
TQM_LINEAR(linear_w8a8, TQM_RUN(w8a8<1>), TQM_RUN(w8a8<2>), TQM_RUN(w8a8<4>))
TQM_LINEAR(linear_int8, TQM_RUN(codes<Int8, 1>), TQM_RUN(codes<Int8, 2>), TQM_RUN(codes<Int8, 4>))
TQM_LINEAR(linear_int4, TQM_RUN(codes<Int4, 1>), TQM_RUN(codes<Int4, 2>), TQM_RUN(codes<Int4, 4>))

}  // namespace tqm::compress::fast::avx2

#endif
