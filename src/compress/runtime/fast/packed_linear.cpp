#include "compress/runtime/fast/packed_linear.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace tqm::compress::fast {
namespace {

using tensor::DType;
using tensor::HostTensor;

constexpr int64_t kLine = 64;        // bytes
constexpr int64_t kMostChunk = 128;  // 255 · 32767 · 128 stays below 2^31
constexpr std::array<std::string_view, 6> kNames = {"f32", "f16", "bf16", "w8a8", "int8", "int4"};

int64_t round_up(int64_t value, int64_t grain) {
  return (value + grain - 1) / grain * grain;
}
size_t size(int64_t value) {
  return static_cast<size_t>(value);
}

// Columns of a row that one 64-byte line of a panel holds.
int64_t line_columns(Kind kind) {
  switch (kind) {
    case Kind::f32:
      return 1;
    case Kind::f16:
    case Kind::bf16:
      return 2;
    case Kind::w8a8:
    case Kind::int8:
      return 4;
    case Kind::int4:
      return 8;
  }
  return 1;
}

PackedLinear shaped(Kind kind, int64_t outputs, int64_t columns, const std::vector<float>& bias) {
  PackedLinear packed;
  packed.kind = kind;
  packed.outputs = outputs;
  packed.columns = columns;
  packed.depth = round_up(columns, kDepthGrain);
  packed.panel_bytes = packed.depth / line_columns(kind) * kLine;
  packed.codes = Buffer(size(packed.panels() * packed.panel_bytes));
  if (!bias.empty()) {
    ASSERT(static_cast<int64_t>(bias.size()) == outputs);
    packed.bias = Buffer(size(packed.panels() * kPanel) * sizeof(float));
    std::copy(bias.begin(), bias.end(), packed.bias.as<float>());
  }
  return packed;
}

// Where the two bytes of column k of an output stand, for the 16-bit kinds, in elements from the panel's start.
int64_t place16(Kind kind, int64_t k, int64_t output) {
  return kind == Kind::f16 ? k * kPanel + output : k / 2 * 32 + output * 2 + k % 2;
}

int64_t place8(Kind kind, int64_t k, int64_t output) {
  const int64_t line = k / 4 * kLine + output * 4;
  return kind == Kind::w8a8 ? line + k % 4 : line + k % 2 * 2 + k % 4 / 2;
}

// Word p of the output's pair, nibble j.
struct Nibble {
  int64_t word;
  int shift;
};
Nibble place4(int64_t k, int64_t output) {
  return {k / 8 * 32 + output * 2 + k % 2, static_cast<int>(k % 8 / 2 * 4)};
}

void put_floats(PackedLinear& packed, int64_t output, const float* row) {
  const int64_t panel = output / kPanel, lane = output % kPanel;
  auto* base = packed.codes.as<unsigned char>() + panel * packed.panel_bytes;
  if (packed.kind == Kind::f32) {
    auto* to = reinterpret_cast<float*>(base);
    for (int64_t k = 0; k < packed.columns; ++k) to[k * kPanel + lane] = row[k];
    return;
  }
  auto* to = reinterpret_cast<uint16_t*>(base);
  for (int64_t k = 0; k < packed.columns; ++k) {
    to[place16(packed.kind, k, lane)] =
        packed.kind == Kind::f16 ? tensor::float_to_f16(row[k]) : tensor::float_to_bf16(row[k]);
  }
}

PackedLinear pack_floats(const HostTensor& weight, Kind kind, const std::vector<float>& bias) {
  const int64_t outputs = weight.shape[0], columns = weight.shape[1];
  PackedLinear packed = shaped(kind, outputs, columns, bias);
  std::vector<float> row(size(columns));
  const size_t row_bytes = size(columns) * tensor::size_of(weight.dtype);
  for (int64_t output = 0; output < outputs; ++output) {
    tensor::to_float(weight.dtype, weight.bytes.data() + size(output) * row_bytes, size(columns), row.data());
    put_floats(packed, output, row.data());
  }
  return packed;
}

// The longest stretch of columns within a group whose integer sums can't overflow and that fills whole lines; 0: none.
int64_t chunk_of(const QuantTensor& weight) {
  if (weight.spec.group == 0) return kMostChunk;
  for (int64_t chunk = std::min<int64_t>(weight.spec.group, kMostChunk); chunk >= 8; --chunk) {
    if (weight.spec.group % chunk == 0 && chunk % 8 == 0) return chunk;
  }
  return 0;
}

void put_scales(PackedLinear& packed, const QuantTensor& weight) {
  const auto exact_f16 = [](float scale) { return tensor::f16_to_float(tensor::float_to_f16(scale)) == scale; };
  packed.half_scales = std::all_of(weight.scales.begin(), weight.scales.end(), exact_f16);
  packed.scales = Buffer(size(packed.panels() * packed.groups * kPanel) * (packed.half_scales ? 2 : 4));
  if (!weight.zero_points.empty()) packed.zeros = Buffer(size(packed.panels() * packed.groups * kPanel));
  for (int64_t output = 0; output < packed.outputs; ++output) {
    for (int64_t group = 0; group < packed.groups; ++group) {
      const size_t from = size(output * packed.groups + group);
      const int64_t to = (output / kPanel * packed.groups + group) * kPanel + output % kPanel;
      if (packed.half_scales) {
        packed.scales.as<uint16_t>()[to] = tensor::float_to_f16(weight.scales[from]);
      } else {
        packed.scales.as<float>()[to] = weight.scales[from];
      }
      if (!weight.zero_points.empty()) packed.zeros.as<int8_t>()[to] = weight.zero_points[from];
    }
  }
}

void put_codes(PackedLinear& packed, const QuantTensor& weight) {
  const bool four = packed.kind == Kind::int4;
  for (int64_t output = 0; output < packed.panels() * kPanel; ++output) {
    unsigned char* base = packed.codes.as<unsigned char>() + output / kPanel * packed.panel_bytes;
    const int64_t lane = output % kPanel;
    // Past the matrix stands the code of zero, so that sums over padding come out as zero however they are corrected.
    for (int64_t k = 0; k < packed.depth; ++k) {
      const bool inside = output < packed.outputs && k < packed.columns;
      const int code = inside ? weight.codes[size(output * weight.columns + k)] : 0;
      if (four) {
        const Nibble at = place4(k, lane);
        auto* words = reinterpret_cast<uint16_t*>(base);
        words[at.word] = static_cast<uint16_t>(words[at.word] | ((code + 8) & 15) << at.shift);
      } else {
        base[place8(packed.kind, k, lane)] = static_cast<unsigned char>(code + 128);
      }
    }
  }
}

PackedLinear pack_codes(const QuantTensor& weight, Kind kind, int64_t chunk, const std::vector<float>& bias) {
  PackedLinear packed = shaped(kind, weight.rows, weight.columns, bias);
  packed.groups = weight.groups();
  packed.chunk = kind == Kind::w8a8 ? weight.columns : chunk;
  packed.chunks = (weight.columns + packed.chunk - 1) / packed.chunk;
  put_scales(packed, weight);
  put_codes(packed, weight);
  return packed;
}

// W8A8 sums whole rows in integers, so it wants one scale a row and no zero points (others are refused when a model is
// loaded).
bool integer_products(const QuantTensor& weight) {
  return weight.spec.quantize_activations && weight.spec.bits == 8 && weight.groups() == 1 &&
         weight.zero_points.empty();
}

QuantTensor round_to_nearest(const HostTensor& weight, int bits, int64_t group, bool activations) {
  QuantTensor out;
  out.spec = {.bits = bits, .group = static_cast<int>(group), .symmetric = true, .quantize_activations = activations};
  out.rows = weight.shape[0];
  out.columns = weight.shape[1];
  const std::vector<float> values = weight.floats();
  const float top = static_cast<float>(1 << (bits - 1));
  const int64_t width = out.group_width();
  out.codes.resize(values.size());
  for (size_t begin = 0; begin < values.size(); begin += size(width)) {
    float most = 0;
    for (size_t i = begin; i < begin + size(width); ++i) most = std::max(most, std::fabs(values[i]));
    const float scale = round_scale(most / (top - 0.5F), true);
    out.scales.push_back(scale);
    for (size_t i = begin; i < begin + size(width); ++i) {
      const float code = scale > 0 ? std::nearbyint(values[i] / scale) : 0;
      out.codes[i] = static_cast<int8_t>(std::clamp(code, -top, top - 1));
    }
  }
  return out;
}

}  // namespace

LinearView PackedLinear::view() const {
  return {codes.as<unsigned char>(),
          scales.as<void>(),
          zeros.as<signed char>(),
          bias.as<float>(),
          outputs,
          columns,
          depth,
          panel_bytes,
          groups,
          chunk,
          chunks,
          half_scales,
          minimums.as<uint16_t>()};
}

uint64_t PackedLinear::bytes() const {
  return codes.bytes() + scales.bytes() + zeros.bytes() + minimums.bytes() + bias.bytes();
}

void PackedLinear::settle(Arena& arena) {
  for (Buffer* buffer : {&codes, &scales, &zeros, &minimums, &bias}) arena.settle(*buffer);
}

void PackedLinear::row(int64_t index, float* to) const {
  const int64_t panel = index / kPanel, lane = index % kPanel;
  const unsigned char* base = codes.as<unsigned char>() + panel * panel_bytes;
  for (int64_t k = 0; k < columns; ++k) {
    switch (kind) {
      case Kind::f32:
        to[k] = reinterpret_cast<const float*>(base)[k * kPanel + lane];
        continue;
      case Kind::f16:
        to[k] = tensor::f16_to_float(reinterpret_cast<const uint16_t*>(base)[place16(kind, k, lane)]);
        continue;
      case Kind::bf16:
        to[k] = tensor::bf16_to_float(reinterpret_cast<const uint16_t*>(base)[place16(kind, k, lane)]);
        continue;
      default:
        break;
    }
    const int64_t group = groups == 1 ? 0 : k / (columns / groups);
    const int64_t at = (panel * groups + group) * kPanel + lane;
    const float scale = half_scales ? tensor::f16_to_float(scales.as<uint16_t>()[at]) : scales.as<float>()[at];
    int code = 0;
    if (kind == Kind::int4) {
      const Nibble nibble = place4(k, lane);
      code = (reinterpret_cast<const uint16_t*>(base)[nibble.word] >> nibble.shift & 15) - 8;
    } else {
      code = base[place8(kind, k, lane)] - 128;
    }
    if (minimums.bytes()) {
      to[k] = scale * static_cast<float>(code + 8) + tensor::f16_to_float(minimums.as<uint16_t>()[at]);
      continue;
    }
    to[k] = static_cast<float>(code - (zeros.bytes() ? zeros.as<int8_t>()[at] : 0)) * scale;
  }
}

Kind kind_of(const Weight& weight) {
  if (const auto* tensor = std::get_if<HostTensor>(&weight)) {
    return tensor->dtype == DType::f16 ? Kind::f16 : tensor->dtype == DType::bf16 ? Kind::bf16 : Kind::f32;
  }
  const auto& quantized = std::get<QuantTensor>(weight);
  if (integer_products(quantized)) return Kind::w8a8;
  if (chunk_of(quantized) == 0) return Kind::f32;
  return quantized.spec.bits <= 4 ? Kind::int4 : Kind::int8;
}

PackedLinear pack_linear(const Weight& weight, const std::vector<float>& bias) {
  const Kind kind = kind_of(weight);
  if (const auto* tensor = std::get_if<HostTensor>(&weight)) return pack_floats(*tensor, kind, bias);
  const auto& quantized = std::get<QuantTensor>(weight);
  if (kind == Kind::f32) return pack_floats(quantized.dequantize(), kind, bias);
  return pack_codes(quantized, kind, chunk_of(quantized), bias);
}

PackedLinear pack_blocks(const BlockWeight& weight, const std::vector<float>& bias) {
  const QuantTensor& codes = weight.codes;
  const Kind kind = codes.spec.bits == 8 ? Kind::int8 : Kind::int4;
  ASSERT(weight.minimums.empty() || kind == Kind::int4);
  PackedLinear packed = pack_codes(codes, kind, chunk_of(codes), bias);
  if (weight.minimums.empty()) return packed;
  packed.minimums = Buffer(size(packed.panels() * packed.groups * kPanel) * 2);
  for (int64_t output = 0; output < packed.outputs; ++output)
    for (int64_t group = 0; group < packed.groups; ++group)
      packed.minimums.as<uint16_t>()[(output / kPanel * packed.groups + group) * kPanel + output % kPanel] =
          tensor::float_to_f16(weight.minimums[size(output * packed.groups + group)]);
  return packed;
}

Result<PackedLinear> pack_linear_as(const Weight& weight, Kind kind, int64_t group, const std::vector<float>& bias) {
  if (kind == Kind::f32 || kind == Kind::f16 || kind == Kind::bf16) {
    if (const auto* tensor = std::get_if<HostTensor>(&weight)) return pack_floats(*tensor, kind, bias);
    return pack_floats(plain(weight), kind, bias);
  }
  const HostTensor values = plain(weight);
  if (kind == Kind::w8a8) group = 0;
  if (group < 0 || (group > 0 && (values.shape[1] % group != 0 || group % 8 != 0))) {
    return Error{ErrorKind::bad_input,
                 "groups of " + std::to_string(group) + " do not divide a row of " + std::to_string(values.shape[1]),
                 "", "take a group that is a multiple of 8 and divides the row, or 0 for one scale a row"};
  }
  return pack_linear(round_to_nearest(values, kind == Kind::int4 ? 4 : 8, group, kind == Kind::w8a8), bias);
}

std::string_view name(Kind kind) {
  return kNames[static_cast<size_t>(kind)];
}

std::optional<Kind> kind_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Kind>(found - kNames.begin());
}

}  // namespace tqm::compress::fast
