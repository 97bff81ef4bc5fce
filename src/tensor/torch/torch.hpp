// LibTorch's one door: devices, host tensors to ATen and back, c10 exceptions turned into Results.
// Only .cpp files include this: it brings ATen's tensor header with it.
#pragma once

#include <ATen/core/Tensor.h>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tensor/host_tensor.hpp"

namespace tqm::tensor {

// A device by LibTorch's name: "cpu", "cuda:0", "mlu:0", "npu:0" (":0" may be left out). A device other than the CPU is
// a library loaded at run time: libtorch_cuda.so out of LibTorch's own folder, torch_mlu, torch_npu and the like out of
// the site-packages it stands in. Unknown or absent devices are refused with the list of those present.
Result<c10::Device> open_device(const std::string& name);
std::vector<std::string> present_devices();  // "cpu", then "cuda:0", …

void set_threads(int threads);  // 0: as many as this process may use
int threads();

// Floating-point operations a second of a matrix product in f32 on the device now, from a few hundred milliseconds of
// it: what forecasts of time stand on.
Result<double> measured_flops(const std::string& device);

at::Tensor to_torch(const HostTensor& tensor, c10::Device device);  // copies; keeps the element type
HostTensor to_host(const at::Tensor& tensor);
c10::ScalarType torch_dtype(DType dtype);

// Runs body without gradients; what LibTorch throws becomes an Error (out of memory: environment; else breakdown), with
// what in front.
Status guard(const std::string& what, const std::function<void()>& body);

}  // namespace tqm::tensor
