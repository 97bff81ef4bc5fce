#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <algorithm>

#include "base/clock.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::tensor {

Result<double> measured_flops(const std::string& name) {
  const c10::Device device = TRY(open_device(name));
  constexpr int64_t kSide = 1024;
  constexpr double kOperations = 2.0 * kSide * kSide * kSide;
  double best = 0;
  TRY(guard("measuring the device's speed", [&] {
    const at::Tensor a = at::ones({kSide, kSide}).to(device);
    for (int i = 0; i < 6; ++i) {
      const int64_t start = system_clock().monotonic_ns();
      at::mm(a, a).select(0, 0).cpu();  // waits for the device
      best = std::max(best, kOperations / seconds_between(start, system_clock().monotonic_ns()));
    }
  }));
  return best;
}

}  // namespace tqm::tensor
