#include "compress/quantize/layer_file.hpp"

#include <ATen/core/Tensor.h>
#include <cstring>

#include "tensor/safetensors.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

using Named = std::vector<std::pair<std::string, tensor::HostTensor>>;

template <class T>
tensor::HostTensor host_of(tensor::DType dtype, std::vector<int64_t> shape, const std::vector<T>& values) {
  std::byte* data = nullptr;
  tensor::HostTensor host = tensor::HostTensor::zeros(dtype, std::move(shape), &data);
  ASSERT(host.bytes.size() == values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(data, values.data(), host.bytes.size());
  return host;
}

Status write_file(const std::filesystem::path& path, const Named& named) {
  std::vector<tensor::SafetensorsDescription> descriptions;
  for (const auto& [name, host] : named) descriptions.push_back({name, host.dtype, host.shape});
  auto writer = TRY(tensor::SafetensorsWriter::create_file(path, std::move(descriptions)));
  for (const auto& [name, host] : named) TRY(writer.put(name, host.bytes));
  return writer.finish();
}

template <class T>
std::vector<T> values_of(const tensor::HostTensor& host) {
  std::vector<T> values(host.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), host.bytes.data(), values.size() * sizeof(T));
  return values;
}

Result<tensor::HostTensor> entry(const tensor::SafetensorsReader& file, const std::string& name,
                                 const std::filesystem::path& path) {
  const tensor::SafetensorsEntry* found = file.find(name);
  if (!found)
    return Error{ErrorKind::bad_input, "the checkpoint lacks " + name, path.string(),
                 "remove the work folder and start again"};
  return file.view(*found);
}

}  // namespace

Status write_layer(const std::filesystem::path& path, const std::vector<std::pair<std::string, QuantTensor>>& tensors) {
  using tensor::DType;
  Named named;
  for (const auto& [name, t] : tensors) {
    const std::vector<int32_t> spec = {t.spec.bits, t.spec.group, t.spec.symmetric, t.spec.quantize_activations};
    named.emplace_back(name + ".spec", host_of(DType::i32, {4}, spec));
    named.emplace_back(name + ".codes", host_of(DType::i8, {t.rows, t.columns}, t.codes));
    named.emplace_back(name + ".scales", host_of(DType::f32, {t.rows, t.groups()}, t.scales));
    if (!t.spec.symmetric)
      named.emplace_back(name + ".zero_points", host_of(DType::i8, {t.rows, t.groups()}, t.zero_points));
  }
  return write_file(path, named);
}

Result<QuantTensor> read_layer_tensor(const std::filesystem::path& path, const std::string& name) {
  auto file = TRY(tensor::SafetensorsReader::open_file(path));
  const auto spec = values_of<int32_t>(TRY(entry(file, name + ".spec", path)));
  auto codes = TRY(entry(file, name + ".codes", path));
  auto scales = TRY(entry(file, name + ".scales", path));
  QuantTensor t;
  t.spec = {spec.at(0), spec.at(1), spec.at(2) != 0, spec.at(3) != 0};
  t.rows = codes.shape.at(0);
  t.columns = codes.shape.at(1);
  t.codes = values_of<int8_t>(codes);
  t.scales = values_of<float>(scales);
  if (!t.spec.symmetric) t.zero_points = values_of<int8_t>(TRY(entry(file, name + ".zero_points", path)));
  return t;
}

Status write_hidden(const std::filesystem::path& path, const std::vector<at::Tensor>& batches) {
  Named named;
  for (size_t i = 0; i < batches.size(); ++i)
    named.emplace_back("hidden." + std::to_string(i), tensor::to_host(batches[i]));
  return write_file(path, named);
}

Result<std::vector<at::Tensor>> read_hidden(const std::filesystem::path& path, const std::string& device) {
  auto file = TRY(tensor::SafetensorsReader::open_file(path));
  const c10::Device to = TRY(tensor::open_device(device));
  std::vector<at::Tensor> batches;
  for (size_t i = 0; const auto* found = file.find("hidden." + std::to_string(i)); ++i)
    batches.push_back(tensor::to_torch(file.view(*found), to));
  if (batches.empty())
    return Error{ErrorKind::bad_input, "the checkpoint holds no hidden states", path.string(),
                 "remove the work folder and start again"};
  return batches;
}

}  // namespace tqm::compress
