#include "tensor/torch/torch.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <cstring>
#include <new>
#include <utility>

#include "base/process.hpp"

namespace tqm::tensor {
namespace {

constexpr std::pair<DType, c10::ScalarType> kTypes[] = {
    {DType::f64, c10::ScalarType::Double},
    {DType::f32, c10::ScalarType::Float},
    {DType::f16, c10::ScalarType::Half},
    {DType::bf16, c10::ScalarType::BFloat16},
    {DType::f8_e4m3, c10::ScalarType::Float8_e4m3fn},
    {DType::i64, c10::ScalarType::Long},
    {DType::i32, c10::ScalarType::Int},
    {DType::i16, c10::ScalarType::Short},
    {DType::i8, c10::ScalarType::Char},
    {DType::u8, c10::ScalarType::Byte},
    {DType::boolean, c10::ScalarType::Bool},
};

std::string first_line(const char* text) {
  const std::string_view all(text);
  return std::string(all.substr(0, all.find('\n')));
}

Error out_of_memory(const std::string& what) {
  return Error{ErrorKind::environment, what + ": out of memory", "",
               "free memory, give fewer tokens at a time, or choose another device"};
}

}  // namespace

void set_threads(int threads) {
  at::set_num_threads(threads > 0 ? threads : usable_processors());
}

int threads() {
  return at::get_num_threads();
}

c10::ScalarType torch_dtype(DType dtype) {
  for (const auto& [ours, theirs] : kTypes)
    if (ours == dtype) return theirs;
  ASSERT(!"every DType stands in kTypes");
  return c10::ScalarType::Undefined;
}

at::Tensor to_torch(const HostTensor& tensor, c10::Device device) {
  at::Tensor copy = at::empty(tensor.shape, at::TensorOptions().dtype(torch_dtype(tensor.dtype)));
  ASSERT(tensor.bytes.size() == copy.nbytes());
  if (!tensor.bytes.empty()) std::memcpy(copy.data_ptr(), tensor.bytes.data(), tensor.bytes.size());
  return device.is_cpu() ? copy : copy.to(device);
}

HostTensor to_host(const at::Tensor& tensor) {
  const at::Tensor here = tensor.detach().to(c10::Device(c10::DeviceType::CPU)).contiguous();
  for (const auto& [ours, theirs] : kTypes) {
    if (theirs != here.scalar_type()) continue;
    std::byte* data = nullptr;
    HostTensor host = HostTensor::zeros(ours, here.sizes().vec(), &data);
    if (here.nbytes() > 0) std::memcpy(data, here.data_ptr(), here.nbytes());
    return host;
  }
  ASSERT(!"a tensor of an element type that no file of ours holds");
  return {};
}

Status guard(const std::string& what, const std::function<void()>& body) {
  const c10::AutoGradMode no_gradients(false);
  try {
    body();
    return {};
  } catch (const c10::OutOfMemoryError&) {
    return out_of_memory(what);
  } catch (const std::bad_alloc&) {
    return out_of_memory(what);
  } catch (const c10::Error& thrown) {
    const std::string text = first_line(thrown.what_without_backtrace());
    if (text.find("can't allocate memory") != std::string::npos) return out_of_memory(what);  // the CPU's allocator
    return Error{ErrorKind::breakdown, what + ": " + text, "", "report this with the command that was run"};
  } catch (const std::exception& thrown) {
    return Error{ErrorKind::breakdown, what + ": " + first_line(thrown.what()), "",
                 "report this with the command that was run"};
  }
}

}  // namespace tqm::tensor
