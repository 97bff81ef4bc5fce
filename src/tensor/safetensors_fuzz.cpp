// Any bytes as a safetensors file: refused, or every tensor lies inside them.
#include "tensor/safetensors.hpp"

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto entries = tqm::tensor::parse_safetensors(bytes, "input");
  if (!entries) return 0;
  uint64_t end = 0;
  for (const auto& entry : *entries) {
    ASSERT(entry.offset <= size && entry.size <= size - entry.offset && entry.offset >= end);
    ASSERT(static_cast<uint64_t>(tqm::tensor::element_count(entry.shape)) * tqm::tensor::size_of(entry.dtype) ==
           entry.size);
    end = entry.offset + entry.size;
  }
  return 0;
}
