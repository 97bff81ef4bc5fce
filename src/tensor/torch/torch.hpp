// LibTorch's one door: devices, host tensors to ATen and back, c10 exceptions turned into Results.
// Only .cpp files include this: it brings ATen's tensor header with it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "base/result.hpp"
#include "tensor/host_tensor.hpp"

namespace tqm::tensor {

// A device by LibTorch's name: "cpu", "cuda:0", "mlu:0", "npu:0". Loads the device's module where it is one; unknown or absent
// devices are refused with the list of those present.
Result<c10::Device> open_device(const std::string& name);
std::vector<std::string> present_devices();

void set_threads(int threads);   // 0: as many as the machine has

at::Tensor to_torch(const HostTensor& tensor, c10::Device device);  // copies; keeps the element type
HostTensor to_host(const at::Tensor& tensor);
c10::ScalarType torch_dtype(DType dtype);

// Runs body; what LibTorch throws becomes an Error (out of memory: environment; else breakdown), with what in front.
Status guard(const std::string& what, const std::function<void()>& body);

}  // namespace tqm::tensor
