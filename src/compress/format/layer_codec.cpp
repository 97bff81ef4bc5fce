#include "compress/format/layer_codec.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compress/model/compressed_tensors.hpp"
#include "compress/model/packed_integers.hpp"
#include "tensor/dtype.hpp"

namespace tqm::compress {
namespace {

using tensor::DType;
using tensor::HostTensor;
using tensor::SafetensorsDescription;

bool is_packed(const QuantSpec& spec) {
  return !spec.quantize_activations;
}

Error unfit(const std::string& what) {
  return Error{ErrorKind::unsupported, what, "", "quantise with scales that every file form holds"};
}

// A float16 that holds the value exactly.
bool fits_half(float value) {
  return tensor::f16_to_float(tensor::float_to_f16(value)) == value;
}

}  // namespace

std::vector<SafetensorsDescription> describe_layer(const std::string& name, int64_t rows, int64_t columns,
                                                   const QuantSpec& spec) {
  const int64_t groups = spec.group ? columns / spec.group : 1;
  std::vector<SafetensorsDescription> parts;
  if (is_packed(spec)) {
    parts.push_back({name + "_packed", DType::i32, {rows, packed_words(columns, spec.bits)}});
    parts.push_back({name + "_shape", DType::i64, {2}});
  } else {
    parts.push_back({name, DType::i8, {rows, columns}});
  }
  parts.push_back({name + "_scale", DType::bf16, {rows, groups}});
  if (!spec.symmetric) parts.push_back({name + "_zero_point", DType::i32, {packed_words(rows, spec.bits), groups}});
  return parts;
}

Result<std::vector<EncodedPart>> encode_layer(const std::string& name, const QuantTensor& layer) {
  const int bits = layer.spec.bits;
  const int64_t groups = layer.groups();
  std::vector<EncodedPart> parts;
  std::byte* data = nullptr;
  if (is_packed(layer.spec)) {
    const int64_t words = packed_words(layer.columns, bits);
    parts.push_back({name + "_packed", HostTensor::zeros(DType::i32, {layer.rows, words}, &data)});
    auto* to = reinterpret_cast<int32_t*>(data);
    for (int64_t row = 0; row < layer.rows; ++row)
      pack_integers(layer.codes.data() + row * layer.columns, layer.columns, 1, bits, to + row * words, 1);
    parts.push_back({name + "_shape", HostTensor::zeros(DType::i64, {2}, &data)});
    const int64_t shape[2] = {layer.rows, layer.columns};
    std::memcpy(data, shape, sizeof(shape));
  } else {
    parts.push_back({name, HostTensor::zeros(DType::i8, {layer.rows, layer.columns}, &data)});
    std::memcpy(data, layer.codes.data(), layer.codes.size());
  }
  for (float scale : layer.scales)
    if (tensor::bf16_to_float(tensor::float_to_bf16(scale)) != scale)
      return unfit("a scale of \"" + name + "\" is not a bfloat16");
  parts.push_back({name + "_scale", HostTensor::zeros(DType::bf16, {layer.rows, groups}, &data)});
  tensor::from_float(DType::bf16, layer.scales.data(), layer.scales.size(), data);
  if (!layer.spec.symmetric) {
    parts.push_back(
        {name + "_zero_point", HostTensor::zeros(DType::i32, {packed_words(layer.rows, bits), groups}, &data)});
    auto* to = reinterpret_cast<int32_t*>(data);
    for (int64_t group = 0; group < groups; ++group)
      pack_integers(layer.zero_points.data() + group, layer.rows, groups, bits, to + group, groups);
  }
  return parts;
}

QuantTensor decode_layer(const std::vector<EncodedPart>& parts, const QuantSpec& spec) {
  const bool packed = is_packed(spec);
  int64_t shape[2] = {};
  if (packed)
    std::memcpy(shape, parts[1].tensor.bytes.data(), sizeof(shape));
  else
    std::copy_n(parts[0].tensor.shape.begin(), 2, shape);
  const HostTensor& scale = parts[packed ? 2 : 1].tensor;
  return decode_layer({packed, spec}, shape[0], shape[1], parts[0].tensor, scale,
                      spec.symmetric ? nullptr : &parts.back().tensor);
}

const GgmlType* ggml_type_for(const QuantSpec& spec) {
  if (spec.quantize_activations) return nullptr;
  if (spec.bits == 8 && spec.symmetric) return find_ggml_type(ggml::kQ8_0);
  if (spec.bits == 4) return find_ggml_type(spec.symmetric ? ggml::kQ4_0 : ggml::kQ4_1);
  return nullptr;
}

Result<std::vector<std::byte>> encode_blocks(const QuantTensor& layer) {
  const GgmlType* type = ggml_type_for(layer.spec);
  ASSERT(type && layer.columns % 32 == 0 && layer.group_width() % 32 == 0);
  const int64_t blocks = layer.columns / 32, blocks_a_group = layer.group_width() / 32;
  std::vector<std::byte> bytes(static_cast<size_t>(layer.rows * blocks) * type->block_bytes);
  std::byte* to = bytes.data();
  for (int64_t row = 0; row < layer.rows; ++row)
    for (int64_t block = 0; block < blocks; ++block, to += type->block_bytes) {
      const auto group = static_cast<size_t>(row * layer.groups() + block / blocks_a_group);
      const int8_t* codes = layer.codes.data() + row * layer.columns + block * 32;
      const float scale = layer.scales[group];
      if (!fits_half(scale)) return unfit("a scale is not a float16");
      if (type->id == ggml::kQ8_0) {
        pack_q8_0(scale, codes, to);
        continue;
      }
      uint8_t unsigned_codes[32];
      for (int i = 0; i < 32; ++i) unsigned_codes[i] = static_cast<uint8_t>(codes[i] + 8);
      if (type->id == ggml::kQ4_0) {
        pack_q4_0(scale, unsigned_codes, to);
        continue;
      }
      const float minimum = -static_cast<float>(layer.zero_points[group] + 8) * scale;
      if (!fits_half(minimum)) return unfit("a group's minimum is not a float16");
      pack_q4_1(scale, minimum, unsigned_codes, to);
    }
  return bytes;
}

Result<QuantTensor> decode_blocks(const std::vector<std::byte>& bytes, int64_t rows, int64_t columns,
                                  const QuantSpec& spec) {
  const GgmlType* type = ggml_type_for(spec);
  ASSERT(type && columns % 32 == 0);
  QuantTensor layer;
  layer.spec = spec;
  layer.rows = rows;
  layer.columns = columns;
  layer.codes.resize(static_cast<size_t>(rows * columns));
  layer.scales.resize(static_cast<size_t>(rows * layer.groups()));
  if (!spec.symmetric) layer.zero_points.resize(layer.scales.size());
  const int64_t blocks = columns / 32, blocks_a_group = layer.group_width() / 32;
  const std::byte* from = bytes.data();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block, from += type->block_bytes) {
      int8_t* codes = layer.codes.data() + row * columns + block * 32;
      float scale = 0, minimum = 0;
      uint8_t unsigned_codes[32];
      if (type->id == ggml::kQ8_0) {
        unpack_q8_0(from, &scale, codes);
      } else {
        if (type->id == ggml::kQ4_0)
          unpack_q4_0(from, &scale, unsigned_codes);
        else
          unpack_q4_1(from, &scale, &minimum, unsigned_codes);
        for (int i = 0; i < 32; ++i) codes[i] = static_cast<int8_t>(unsigned_codes[i] - 8);
      }
      const auto group = static_cast<size_t>(row * layer.groups() + block / blocks_a_group);
      const auto zero = static_cast<int8_t>(scale != 0 ? std::lround(-minimum / scale) - 8 : -8);
      const bool first = block % blocks_a_group == 0;
      if (!first && (layer.scales[group] != scale || (!spec.symmetric && layer.zero_points[group] != zero)))
        return Error{ErrorKind::bad_input, "the blocks of one group differ in scale", "",
                     "read the file as plain weights"};
      layer.scales[group] = scale;
      if (!spec.symmetric) layer.zero_points[group] = zero;
    }
  return layer;
}

}  // namespace tqm::compress
