// compressed-tensors' quantised layers in a Hugging Face folder: what config.json says of them, and their tensors as
// the plain form. The parameters' names and layouts: compressed-tensors, compressors/{pack_quantized,naive_quantized}
// and quantization/quant_args.py.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/model/quant.hpp"
#include "compress/model/tensor_table.hpp"
#include "tensor/safetensors.hpp"

namespace tqm::compress {

struct StoredScheme {
  bool packed = true;  // pack-quantized; else int-quantized
  QuantSpec spec;
};

// config.json's quantization_config. Other methods, floating formats, static activations and the like are refused by
// name.
Result<std::vector<StoredScheme>> schemes_from_json(const Json& quantization, const std::string& where);

// One layer's parameters, by the names they have after "….weight": "_packed" and so on; null where absent.
struct StoredParts {
  const tensor::SafetensorsEntry* values = nullptr;  // weight_packed, or weight (I8)
  const tensor::SafetensorsEntry* scale = nullptr;
  const tensor::SafetensorsEntry* shape = nullptr;  // pack-quantized only
  const tensor::SafetensorsEntry* zero_point = nullptr;
};

// The plain form of one layer from its parameters; zero_point is null where symmetric. Shapes have been checked.
QuantTensor decode_layer(const StoredScheme& scheme, int64_t rows, int64_t columns, const tensor::HostTensor& values,
                         const tensor::HostTensor& scale, const tensor::HostTensor* zero_point);

// The table entry of one quantised layer: which of the schemes it follows is read off the parameters' shapes.
Result<TensorTable::Entry> quantised_entry(const std::string& name, const StoredParts& parts,
                                           const std::vector<StoredScheme>& schemes,
                                           std::shared_ptr<const tensor::SafetensorsReader> reader,
                                           const std::string& where);

std::string stored_as_text(const QuantSpec& spec);  // "int4 g64", "int8 per channel", "int8-w8a8"

}  // namespace tqm::compress
