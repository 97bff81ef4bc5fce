// What the runtime API keeps between calls: registered kernels and variables, the last error, streams that capture.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "port/emulate/cuda/runtime/block.hpp"
#include "port/emulate/cuda/runtime/image.hpp"

namespace tqm::port::cuda {

struct Kernel {
  const Image* image = nullptr;
  const KernelRow* row = nullptr;
  std::size_t most_dynamic_bytes = 48 << 10;
};
struct Variable {
  void* device = nullptr;
  std::size_t bytes = 0;
  std::string name;
};
struct Capture {
  std::vector<std::function<cudaError_t()>> work;
};

struct Session {
  std::map<const void*, Kernel> kernels;      // by the host's stub
  std::map<const void*, Variable> variables;  // by the host's shadow
  cudaError_t last_error = cudaSuccess;
  cudaError_t sticky = cudaSuccess;  // a launch that failed leaves the device unusable, as on a GPU
  Capture* capturing = nullptr;
};

Session& session();
cudaError_t failed(cudaError_t error);  // remembers it
// Now, or when the graph that is being captured is launched.
cudaError_t now_or_captured(std::function<cudaError_t()> work);

cudaError_t launch(Kernel& kernel, const LaunchShape& shape, void** arguments);
std::string kernel_label(const KernelRow& row);  // demangled

inline constexpr std::size_t kMostDynamicBytes = 166912;  // compute capability 8.0
inline constexpr int kProcessors = 8;
inline constexpr int kThreadsOfProcessor = 2048;

}  // namespace tqm::port::cuda
