#include "compress/model/quant.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tqm::compress {
namespace {

struct FormatRow {
  std::string_view name;
  int bits;
  bool quantize_activations;
};

constexpr std::array kFormats = {
    FormatRow{"int8-w8a8", 8, true},
    FormatRow{"int8", 8, false},
    FormatRow{"int4", 4, false},
    FormatRow{"int3", 3, false},
};

}  // namespace

std::string format_name(const QuantSpec& spec) {
  for (const FormatRow& row : kFormats)
    if (row.bits == spec.bits && row.quantize_activations == spec.quantize_activations) return std::string(row.name);
  return "int" + std::to_string(spec.bits) + (spec.quantize_activations ? "-a8" : "");
}

Result<QuantSpec> parse_format(std::string_view name) {
  std::string known;
  for (const FormatRow& row : kFormats) {
    if (row.name == name) {
      QuantSpec spec;
      spec.bits = row.bits;
      spec.quantize_activations = row.quantize_activations;
      return spec;
    }
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return Error{ErrorKind::unsupported, "the number format \"" + std::string(name) + "\" is not known", "",
               "known are: " + known};
}

void QuantTensor::dequantize_row(int64_t row, float* to) const {
  const int64_t width = group_width(), count = groups();
  const int8_t* from = codes.data() + row * columns;
  for (int64_t g = 0; g < count; ++g) {
    const size_t at = static_cast<size_t>(row * count + g);
    const float scale = scales[at];
    const int zero = zero_points.empty() ? 0 : zero_points[at];
    for (int64_t c = g * width; c < (g + 1) * width; ++c) to[c] = static_cast<float>(from[c] - zero) * scale;
  }
}

tensor::HostTensor QuantTensor::dequantize() const {
  std::byte* data = nullptr;
  tensor::HostTensor result = tensor::HostTensor::zeros(tensor::DType::f32, {rows, columns}, &data);
  float* to = reinterpret_cast<float*>(data);
  for (int64_t row = 0; row < rows; ++row) dequantize_row(row, to + row * columns);
  return result;
}

// bfloat16 has 8 significant bits, float16 a smallest step of 2^-24 and a largest value of 65504; 15 steps above the
// zero (asymmetric, 4 bits) must stay below that too.
float round_scale(float scale, bool symmetric) {
  const int bits = symmetric ? 8 : 7;
  const float smallest = 0x1p-24f, largest = symmetric ? 65280.0f : 4352.0f;
  if (!(scale > smallest)) return scale > 0 ? smallest : scale == 0 ? 0.0f : scale;
  if (scale >= largest) return largest;
  int exponent = 0;
  std::frexp(scale, &exponent);  // scale in [2^(exponent−1), 2^exponent)
  const int step = std::max(exponent - bits, -24);
  return std::ldexp(std::nearbyint(std::ldexp(scale, -step)), step);
}

}  // namespace tqm::compress
