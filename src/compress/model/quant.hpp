// Number formats are three small things: QuantSpec says what, QuantTensor is the one plain form every method makes and
// every file format encodes, and a codec a file format (compress/format) turns one into bytes and back, with
// decode(encode(x)) = x.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tensor/host_tensor.hpp"

namespace tqm::compress {

struct QuantSpec {
  int bits = 8;   // 3, 4 or 8
  int group = 0;  // values of a row that share a scale; 0: the whole row (per output channel)
  bool symmetric = true;
  bool quantize_activations = false;  // W8A8: int8, symmetric, one scale a token, worked out at run time
  bool operator==(const QuantSpec&) const = default;
};

std::string format_name(const QuantSpec& spec);         // "int8-w8a8", "int8", "int4", "int3"
Result<QuantSpec> parse_format(std::string_view name);  // refuses by name with the list of what is known

// A weight [rows, columns] (out, in): w[r][c] = (codes[r][c] − zero) · scale, with the scale and zero of c's group.
struct QuantTensor {
  QuantSpec spec;
  int64_t rows = 0, columns = 0;
  std::vector<int8_t> codes;        // rows × columns, in [−2^(bits−1), 2^(bits−1) − 1]
  std::vector<float> scales;        // rows × groups(); on the grid of round_scale
  std::vector<int8_t> zero_points;  // rows × groups(), same range as codes; empty where symmetric

  int64_t groups() const { return spec.group ? columns / spec.group : 1; }
  int64_t group_width() const { return spec.group ? spec.group : columns; }
  void dequantize_row(int64_t row, float* to) const;
  tensor::HostTensor dequantize() const;  // f32 [rows, columns]
  bool operator==(const QuantTensor&) const = default;
};

// The nearest value that both bfloat16 and float16 hold exactly (asymmetric: one significant bit less, so that −(zero +
// 8) · scale is a float16 too): one set of scales then serves every file format bit for bit, and one check speaks for
// all of them.
float round_scale(float scale, bool symmetric);

}  // namespace tqm::compress
