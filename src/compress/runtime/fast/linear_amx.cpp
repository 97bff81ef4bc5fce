// Products of many rows in AMX tiles: 16 rows × 32 bf16 (or 64 int8) of activations times a tile of weights, which is
// 16 lines of a panel as it lies in memory. Codes and f16 are first unfolded to bf16, two panels at a time, once for
// all rows. Two by two tiles of sums, so that each tile that is read is used twice.
#include "compress/runtime/fast/linear_view.hpp"

#if defined(__AMX_TILE__)
#include <immintrin.h>

namespace tqm::compress::fast::amx {
namespace {

constexpr int64_t kTileRows = 16, kTileBytes = 1024;

struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Tiles 0–3 sums, 4–5 activations, 6–7 weights; upper and lower: rows of the first and second tile of activations.
void configure(int64_t upper, int64_t lower) {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = 64;
    config.rows[tile] = 16;
  }
  config.rows[0] = config.rows[1] = config.rows[4] = static_cast<uint8_t>(upper);
  config.rows[2] = config.rows[3] = config.rows[5] = static_cast<uint8_t>(lower ? lower : 1);
  _tile_loadconfig(&config);
}

void store(const LinearView& w, const OutputView& out, int64_t row, int64_t panel, __m512 sum) {
  float* y = out.y + row * out.y_stride + panel * kPanel;
  if (w.bias) sum = _mm512_add_ps(sum, _mm512_loadu_ps(w.bias + panel * kPanel));
  if (out.add) sum = _mm512_add_ps(sum, _mm512_loadu_ps(y));
  _mm512_storeu_ps(y, sum);
}

__m512 scales_of(const LinearView& w, int64_t at) {
  if (w.half_scales) {
    return _mm512_cvtph_ps(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(static_cast<const uint16_t*>(w.scales) + at)));
  }
  return _mm512_loadu_ps(static_cast<const float*>(w.scales) + at);
}

// sums[0..3]: upper × panel 0, upper × panel 1, lower × panel 0, lower × panel 1; each 16 × 16.
// input: rows of stride bytes; weights: the panels' tiles one after another. tiles: along the depth.
template <bool kInteger>
inline void multiply(const void* upper, const void* lower, int64_t stride, const unsigned char* panel0,
                     const unsigned char* panel1, int64_t tiles, void* sums) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const auto* a = static_cast<const unsigned char*>(upper);
  const auto* b = static_cast<const unsigned char*>(lower);
  const auto step = static_cast<size_t>(stride);
  for (int64_t tile = 0; tile < tiles; ++tile) {
    _tile_loadd(6, panel0 + tile * kTileBytes, 64);
    _tile_loadd(4, a + tile * 64, step);
    _tile_loadd(7, panel1 + tile * kTileBytes, 64);
    if constexpr (kInteger) {
      _tile_dpbsud(0, 4, 6);
      _tile_dpbsud(1, 4, 7);
    } else {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
    }
    if (lower) {
      _tile_loadd(5, b + tile * 64, step);
      if constexpr (kInteger) {
        _tile_dpbsud(2, 5, 6);
        _tile_dpbsud(3, 5, 7);
      } else {
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
    }
  }
  auto* to = static_cast<unsigned char*>(sums);
  _tile_stored(0, to, 64);
  _tile_stored(1, to + kTileBytes, 64);
  if (lower) {
    _tile_stored(2, to + 2 * kTileBytes, 64);
    _tile_stored(3, to + 3 * kTileBytes, 64);
  }
}

// finish(row, panel, 16 sums as they lie in memory) for every row and panel; unfold(panel) gives where its tiles are.
template <bool kInteger, class Unfold, class Finish>
void product(const InputView& x, int64_t first, int64_t last, Unfold unfold, Finish finish) {
  alignas(64) unsigned char sums[4 * kTileBytes];
  const int64_t element = kInteger ? 1 : 2, stride = x.depth * element, tiles = stride / 64;
  const unsigned char* input =
      kInteger ? reinterpret_cast<const unsigned char*>(x.int8) : reinterpret_cast<const unsigned char*>(x.bf16);
  int64_t upper_now = 0, lower_now = -1;
  for (int64_t panel = first; panel < last; panel += 2) {
    const bool two = panel + 1 < last;
    const unsigned char* tiles0 = unfold(panel, 0);
    const unsigned char* tiles1 = two ? unfold(panel + 1, 1) : tiles0;
    for (int64_t row = 0; row < x.rows; row += 2 * kTileRows) {
      const int64_t left = x.rows - row;
      const int64_t upper = left < kTileRows ? left : kTileRows;
      const int64_t lower = left - upper < kTileRows ? left - upper : kTileRows;
      if (upper != upper_now || lower != lower_now) configure(upper, lower);
      upper_now = upper;
      lower_now = lower;
      multiply<kInteger>(input + row * stride, lower ? input + (row + kTileRows) * stride : nullptr, stride, tiles0,
                         tiles1, tiles, sums);
      for (int64_t r = 0; r < upper + lower; ++r) {
        const unsigned char* from = sums + (r < upper ? r * 64 : 2 * kTileBytes + (r - upper) * 64);
        finish(row + r, panel, from);
        if (two) finish(row + r, panel + 1, from + kTileBytes);
      }
    }
  }
  _tile_release();
}

// Room for two unfolded panels; grows with the widest layer a thread has met.
unsigned char* unfolded_room(int64_t panel_bytes, int which) {
  struct Room {
    unsigned char* data = nullptr;
    int64_t bytes = 0;
    ~Room() { _mm_free(data); }
  };
  static thread_local Room room[2];
  Room& mine = room[which];
  if (mine.bytes < panel_bytes) {
    _mm_free(mine.data);
    mine.data = static_cast<unsigned char*>(_mm_malloc(static_cast<size_t>(panel_bytes), 64));
    mine.bytes = panel_bytes;
  }
  return mine.data;
}

// Rounds to the nearest even bf16 and interleaves: out[2n] = even[n], out[2n + 1] = odd[n].
__m512i pairs_of(__m512 even, __m512 odd) {
  const __m512i both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(odd, even));
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21,
                                         5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return _mm512_permutexvar_epi16(order, both);
}

void bf16_product(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out,
                  auto unfold) {
  product<false>(x, first, last, unfold, [&](int64_t row, int64_t panel, const unsigned char* sums) {
    store(w, out, row, panel, _mm512_load_ps(sums));
  });
}

// code(line, j): the words of column pair j of a line as 32-bit lanes, even columns low. (code − offset − zero) · scale
// as bf16; with minimums code · scale + minimum.
template <int kColumns, class Word>
void unfold_codes(const LinearView& w, int64_t panel, int offset, unsigned char* to, Word word) {
  const unsigned char* line = w.codes + panel * w.panel_bytes;
  const int64_t columns_a_group = w.groups == 1 ? w.depth : w.columns / w.groups;
  const __m512i low = _mm512_set1_epi32(0xffff);
  __m512 scale = _mm512_setzero_ps(), shift = _mm512_setzero_ps(), minimum = _mm512_setzero_ps();
  int64_t group = -1;
  for (int64_t k = 0; k < w.depth; k += kColumns, line += 64) {
    const int64_t wanted = k / columns_a_group < w.groups ? k / columns_a_group : w.groups - 1;
    if (wanted != group) {
      group = wanted;
      const int64_t at = (panel * w.groups + group) * kPanel;
      scale = scales_of(w, at);
      __m512i zero = _mm512_set1_epi32(offset);
      if (w.zeros) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(w.zeros + at));
        zero = _mm512_add_epi32(zero, _mm512_cvtepi8_epi32(bytes));
      }
      shift = _mm512_cvtepi32_ps(zero);
      if (w.minimums) {
        shift = _mm512_setzero_ps();
        minimum = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(w.minimums + at)));
      }
    }
    const __m512i words = _mm512_load_si512(line);
#pragma GCC unroll 4
    for (int j = 0; j < kColumns / 2; ++j) {
      const __m512i pair = word(words, j);
      const __m512 even = _mm512_cvtepi32_ps(_mm512_and_si512(pair, low)),
                   odd = _mm512_cvtepi32_ps(_mm512_srli_epi32(pair, 16));
      _mm512_store_si512(to, pairs_of(_mm512_fmadd_ps(_mm512_sub_ps(even, shift), scale, minimum),
                                      _mm512_fmadd_ps(_mm512_sub_ps(odd, shift), scale, minimum)));
      to += 64;
    }
  }
}

}  // namespace

void linear_bf16(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  bf16_product(w, x, first, last, out, [&](int64_t panel, int) { return w.codes + panel * w.panel_bytes; });
}

void linear_f16(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  bf16_product(w, x, first, last, out, [&](int64_t panel, int which) {
    unsigned char* to = unfolded_room(w.depth * 32, which);
    const unsigned char* line = w.codes + panel * w.panel_bytes;
    for (int64_t k = 0; k < w.depth; k += 2, line += 64) {
      const __m512 even = _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(line)));
      const __m512 odd = _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(line + 32)));
      _mm512_store_si512(to + k * 32, pairs_of(even, odd));
    }
    return to;
  });
}

void linear_int8(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  bf16_product(w, x, first, last, out, [&](int64_t panel, int which) {
    unsigned char* to = unfolded_room(w.depth * 32, which);
    unfold_codes<4>(w, panel, 128, to, [](__m512i words, int j) {
      return _mm512_and_si512(_mm512_srli_epi16(words, static_cast<unsigned>(8 * j)), _mm512_set1_epi16(255));
    });
    return to;
  });
}

void linear_int4(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  bf16_product(w, x, first, last, out, [&](int64_t panel, int which) {
    unsigned char* to = unfolded_room(w.depth * 32, which);
    unfold_codes<8>(w, panel, 8, to, [](__m512i words, int j) {
      return _mm512_and_si512(_mm512_srli_epi16(words, static_cast<unsigned>(4 * j)), _mm512_set1_epi16(15));
    });
    return to;
  });
}

void linear_w8a8(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  product<true>(
      x, first, last, [&](int64_t panel, int) { return w.codes + panel * w.panel_bytes; },
      [&](int64_t row, int64_t panel, const unsigned char* sums) {
        const __m512i sum = _mm512_sub_epi32(_mm512_load_si512(sums), _mm512_set1_epi32(128 * x.int8_sums[row]));
        const __m512 both = _mm512_mul_ps(scales_of(w, panel * kPanel), _mm512_set1_ps(x.int8_scales[row]));
        store(w, out, row, panel, _mm512_mul_ps(_mm512_cvtepi32_ps(sum), both));
      });
}

}  // namespace tqm::compress::fast::amx

#endif
