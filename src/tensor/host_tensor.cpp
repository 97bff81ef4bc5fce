#include "tensor/host_tensor.hpp"

#include <algorithm>

#include "base/result.hpp"

namespace tqm::tensor {

int64_t element_count(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t side : shape) {
    ASSERT(side >= 0 && !__builtin_mul_overflow(count, side, &count));
  }
  return count;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

const float* HostTensor::f32() const {
  ASSERT(dtype == DType::f32 && reinterpret_cast<uintptr_t>(bytes.data()) % alignof(float) == 0);
  return reinterpret_cast<const float*>(bytes.data());
}

HostTensor HostTensor::zeros(DType dtype, std::vector<int64_t> shape, std::byte** data) {
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  const size_t size = static_cast<size_t>(tensor.count()) * size_of(dtype);
  std::shared_ptr<std::byte[]> buffer(new std::byte[size]());
  tensor.bytes = {buffer.get(), size};
  if (data) *data = buffer.get();
  tensor.keeper = std::move(buffer);
  return tensor;
}

HostTensor HostTensor::of_floats(std::vector<int64_t> shape, std::vector<float> values) {
  HostTensor tensor;
  tensor.shape = std::move(shape);
  ASSERT(static_cast<size_t>(tensor.count()) == values.size());
  auto buffer = std::make_shared<const std::vector<float>>(std::move(values));
  tensor.bytes = std::as_bytes(std::span(*buffer));
  tensor.keeper = std::move(buffer);
  return tensor;
}

HostTensor HostTensor::to(DType wanted) const {
  if (wanted == dtype) return *this;
  std::byte* data = nullptr;
  HostTensor result = zeros(wanted, shape, &data);
  const size_t total = static_cast<size_t>(count());
  if (wanted == DType::f32) {
    to_float(dtype, bytes.data(), total, reinterpret_cast<float*>(data));
    return result;
  }
  constexpr size_t kStep = 4096;  // through a small buffer, so that two narrow types don't cost a third copy
  float buffer[kStep];
  for (size_t done = 0; done < total; done += kStep) {
    const size_t n = std::min(kStep, total - done);
    to_float(dtype, bytes.data() + done * size_of(dtype), n, buffer);
    from_float(wanted, buffer, n, data + done * size_of(wanted));
  }
  return result;
}

std::vector<float> HostTensor::floats() const {
  std::vector<float> values(static_cast<size_t>(count()));
  to_float(dtype, bytes.data(), values.size(), values.data());
  return values;
}

}  // namespace tqm::tensor
