// Any bytes as a GGUF file: refused, or every tensor can be read, and its keys make a configuration or are refused.
#include "compress/model/gguf.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compress/model/open_forms.hpp"
#include "tensor/host_tensor.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tqm::compress;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto file = parse_gguf(bytes, "input");
  if (!file) return 0;
  for (const GgufTensor& tensor : file->tensors) {
    const int64_t count = tqm::tensor::element_count(tensor.shape);
    std::vector<float> values(static_cast<size_t>(count));
    tensor.type->decode(bytes.subspan(tensor.offset, tensor.size).data(), count / tensor.type->block_values,
                        values.data());
  }
  static_cast<void>(config_from_gguf(*file).ok());
  static_cast<void>(vocabulary_from_gguf(*file).ok());
  return 0;
}
