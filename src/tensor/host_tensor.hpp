// A tensor in host memory without Torch: element type, shape, bytes in row-major order. Either owned or a view into a
// mapped file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensor/dtype.hpp"

namespace tqm::tensor {

int64_t element_count(const std::vector<int64_t>& shape);
std::string shape_text(const std::vector<int64_t>& shape);  // "[576, 1536]"

struct HostTensor {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;    // element_count(shape) * size_of(dtype)
  std::shared_ptr<const void> keeper;  // what keeps bytes alive: a buffer or a mapping

  int64_t count() const { return element_count(shape); }
  const float* f32() const;  // requires dtype f32
  // A new owned tensor of zeros; data points to its bytes, to be filled.
  static HostTensor zeros(DType dtype, std::vector<int64_t> shape, std::byte** data);
  static HostTensor of_floats(std::vector<int64_t> shape, std::vector<float> values);
  HostTensor to(DType wanted) const;  // floating types only; itself where it is that already
  std::vector<float> floats() const;
};

}  // namespace tqm::tensor
