// The kernels in plain C++, for any CPU: what the others are measured against, and correct everywhere.
#include "compress/runtime/fast/linear_view.hpp"

namespace tqm::compress::fast::generic {
namespace {

float widen_bf16(uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
}

float widen_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16, rest = bits & 0x7fffU;
  if (rest >= 0x7c00U) return __builtin_bit_cast(float, sign | 0x7f800000U | (rest & 0x3ffU) << 13);
  // Exponent and fraction in place, then times 2^112: subnormals come out right as well.
  const float magnitude = __builtin_bit_cast(float, rest << 13) * 0x1p112F;
  return __builtin_bit_cast(float, sign | __builtin_bit_cast(uint32_t, magnitude));
}

void store(const LinearView& w, const OutputView& out, int64_t row, int64_t panel, const float* sums) {
  float* y = out.y + row * out.y_stride + panel * kPanel;
  for (int64_t n = 0; n < kPanel; ++n) {
    const float value = sums[n] + (w.bias ? w.bias[panel * kPanel + n] : 0.0F);
    y[n] = out.add ? y[n] + value : value;
  }
}

struct Scale {
  float scale[kPanel], zero[kPanel], minimum[kPanel];
};

Scale scales_of(const LinearView& w, int64_t panel, int64_t group) {
  Scale out;
  const int64_t at = (panel * w.groups + group) * kPanel;
  for (int64_t n = 0; n < kPanel; ++n) {
    out.scale[n] = w.half_scales ? widen_f16(static_cast<const uint16_t*>(w.scales)[at + n])
                                 : static_cast<const float*>(w.scales)[at + n];
    out.zero[n] = w.zeros ? static_cast<float>(w.zeros[at + n]) : 0.0F;
    out.minimum[n] = w.minimums ? widen_f16(w.minimums[at + n]) : 0.0F;
  }
  return out;
}

// value(panel's codes, k, output) as float.
template <class Value>
void linear_floats(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out,
                   Value value) {
  for (int64_t panel = first; panel < last; ++panel) {
    const unsigned char* codes = w.codes + panel * w.panel_bytes;
    for (int64_t row = 0; row < x.rows; ++row) {
      const float* in = x.f32 + row * x.depth;
      float sums[kPanel] = {};
      for (int64_t k = 0; k < w.columns; ++k) {
        for (int64_t n = 0; n < kPanel; ++n) sums[n] += in[k] * value(codes, k, n);
      }
      store(w, out, row, panel, sums);
    }
  }
}

// code(panel's codes, k, output), unsigned, offset above the true code: exact integer sums a chunk, then scales.
template <class Code>
void linear_codes(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out,
                  int offset, Code code) {
  for (int64_t panel = first; panel < last; ++panel) {
    const unsigned char* codes = w.codes + panel * w.panel_bytes;
    for (int64_t row = 0; row < x.rows; ++row) {
      const int16_t* in = x.int16 + row * x.depth;
      float sums[kPanel] = {};
      for (int64_t chunk = 0; chunk < w.chunks; ++chunk) {
        const int64_t begin = chunk * w.chunk;
        const int64_t end = begin + w.chunk < w.columns ? begin + w.chunk : w.columns;
        int32_t whole[kPanel] = {};
        for (int64_t k = begin; k < end; ++k) {
          for (int64_t n = 0; n < kPanel; ++n) whole[n] += in[k] * code(codes, k, n);
        }
        const int32_t in_sum = x.int16_sums[row * w.chunks + chunk];
        const Scale s = scales_of(w, panel, w.groups == 1 ? 0 : begin / (w.columns / w.groups));
        for (int64_t n = 0; n < kPanel; ++n) {
          const float exact = static_cast<float>(whole[n] - offset * in_sum);
          sums[n] += s.scale[n] * (exact - s.zero[n] * static_cast<float>(in_sum));
          if (w.minimums) {
            sums[n] += (s.minimum[n] + s.scale[n] * static_cast<float>(offset)) * static_cast<float>(in_sum);
          }
        }
      }
      for (float& sum : sums) sum *= x.int16_scales[row];
      store(w, out, row, panel, sums);
    }
  }
}

}  // namespace

void linear_f32(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  linear_floats(w, x, first, last, out, [](const unsigned char* codes, int64_t k, int64_t n) {
    return reinterpret_cast<const float*>(codes)[k * kPanel + n];
  });
}

void linear_f16(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  linear_floats(w, x, first, last, out, [](const unsigned char* codes, int64_t k, int64_t n) {
    return widen_f16(reinterpret_cast<const uint16_t*>(codes)[k * kPanel + n]);
  });
}

void linear_bf16(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  linear_floats(w, x, first, last, out, [](const unsigned char* codes, int64_t k, int64_t n) {
    return widen_bf16(reinterpret_cast<const uint16_t*>(codes)[k / 2 * 32 + n * 2 + k % 2]);
  });
}

void linear_w8a8(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  for (int64_t panel = first; panel < last; ++panel) {
    const unsigned char* codes = w.codes + panel * w.panel_bytes;
    const Scale s = scales_of(w, panel, 0);
    for (int64_t row = 0; row < x.rows; ++row) {
      const int8_t* in = x.int8 + row * x.depth;
      int32_t whole[kPanel] = {};
      for (int64_t k = 0; k < w.columns; ++k) {
        for (int64_t n = 0; n < kPanel; ++n) whole[n] += in[k] * codes[k / 4 * 64 + n * 4 + k % 4];
      }
      float sums[kPanel];
      for (int64_t n = 0; n < kPanel; ++n) {
        sums[n] = static_cast<float>(whole[n] - 128 * x.int8_sums[row]) * (s.scale[n] * x.int8_scales[row]);
      }
      store(w, out, row, panel, sums);
    }
  }
}

void linear_int8(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  linear_codes(w, x, first, last, out, 128, [](const unsigned char* codes, int64_t k, int64_t n) {
    return static_cast<int32_t>(codes[k / 4 * 64 + n * 4 + k % 2 * 2 + k % 4 / 2]);
  });
}

void linear_int4(const LinearView& w, const InputView& x, int64_t first, int64_t last, const OutputView& out) {
  linear_codes(w, x, first, last, out, 8, [](const unsigned char* codes, int64_t k, int64_t n) {
    return reinterpret_cast<const uint16_t*>(codes)[k / 8 * 32 + n * 2 + k % 2] >> (k % 8 / 2 * 4) & 15;
  });
}

}  // namespace tqm::compress::fast::generic
