// One quantised layer to the bytes of a file form and back: decode(encode(x)) = x, or an error where the form can't
// hold x.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/model/ggml_blocks.hpp"
#include "compress/model/quant.hpp"
#include "tensor/safetensors.hpp"

namespace tqm::compress {

// compressed-tensors: the layer's parameters, "….weight_packed" and so on. name: canonical, "….weight".
std::vector<tensor::SafetensorsDescription> describe_layer(const std::string& name, int64_t rows, int64_t columns,
                                                           const QuantSpec& spec);
struct EncodedPart {
  std::string name;
  tensor::HostTensor tensor;
};
Result<std::vector<EncodedPart>> encode_layer(const std::string& name, const QuantTensor& layer);
QuantTensor decode_layer(const std::vector<EncodedPart>& parts, const QuantSpec& spec);

// GGUF: the block type that holds the spec; null where none does.
const GgmlType* ggml_type_for(const QuantSpec& spec);
Result<std::vector<std::byte>> encode_blocks(const QuantTensor& layer);
// Blocks of one group must agree in scale and zero, as encode_blocks makes them.
Result<QuantTensor> decode_blocks(const std::vector<std::byte>& bytes, int64_t rows, int64_t columns,
                                  const QuantSpec& spec);

}  // namespace tqm::compress
