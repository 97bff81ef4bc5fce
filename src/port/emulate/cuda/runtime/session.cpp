#include "port/emulate/cuda/runtime/session.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <fmt/format.h>
#include <memory>

#include "base/file.hpp"
#include "port/emulate/cuda/runtime/check.hpp"
#include "port/emulate/cuda/runtime/export.hpp"
#include "port/emulate/cuda/runtime/fault.hpp"
#include "port/emulate/cuda/runtime/limits.hpp"
#include "port/emulate/cuda/runtime/memory.hpp"
#include "port/emulate/cuda/runtime/options.hpp"
#include "port/emulate/cuda/runtime/record.hpp"
#include "port/emulate/cuda/runtime/report.hpp"

namespace tqm::port::cuda {
namespace {

cudaError_t error_of(LaunchEnd end) {
  switch (end) {
    case LaunchEnd::done:
      return cudaSuccess;
    case LaunchEnd::illegal_address:
      return cudaErrorIllegalAddress;
    case LaunchEnd::asserted:
      return cudaErrorAssert;
    case LaunchEnd::timed_out:
      return cudaErrorLaunchTimeout;
    case LaunchEnd::failed:
      break;
  }
  return cudaErrorLaunchFailure;
}

bool shape_is_legal(const Kernel& kernel, const LaunchShape& s) {
  const std::uint64_t threads = std::uint64_t{s.block.x} * s.block.y * s.block.z;
  return threads >= 1 && threads <= 1024 && s.block.z <= 64 && s.grid.x >= 1 && s.grid.y >= 1 && s.grid.z >= 1 &&
         s.grid.x <= 0x7fffffff && s.grid.y <= 65535 && s.grid.z <= 65535 &&
         s.dynamic_shared_bytes <= kernel.most_dynamic_bytes;
}

// The arguments of a captured launch are those of the time of capture.
struct KeptArguments {
  std::vector<std::vector<unsigned char>> bytes;
  std::vector<void*> pointers;
};
std::shared_ptr<KeptArguments> keep(const KernelRow& row, void** arguments) {
  auto kept = std::make_shared<KeptArguments>();
  for (std::uint64_t i = 0; i < row.parameter_count; ++i) {
    const auto* from = static_cast<const unsigned char*>(arguments[i]);
    kept->bytes.emplace_back(from, from + row.parameter_bytes[i]);
  }
  for (auto& bytes : kept->bytes) kept->pointers.push_back(bytes.data());
  return kept;
}

cudaError_t run_now(const Kernel& kernel, const LaunchShape& shape, void** arguments) {
  record_launch(*kernel.row, shape, arguments);
  const LaunchEnd end = run_grid(*kernel.image, *kernel.row, shape, arguments, options().most_blocks);
  end_of_launch_checks();
  if (end == LaunchEnd::timed_out) {
    print_new_faults(kernel_label(*kernel.row));
    std::fflush(stdout);
    std::fprintf(stderr, "torquetum: ran past its limit of %g seconds in kernel %s and was ended\n", options().seconds,
                 kernel_label(*kernel.row).c_str());
    std::_Exit(124);
  }
  print_new_faults(kernel_label(*kernel.row));
  if (end != LaunchEnd::done) session().sticky = error_of(end);
  return error_of(end);
}

}  // namespace

Session& session() {
  static auto* held = new Session;
  return *held;
}

cudaError_t failed(cudaError_t error) {
  if (error != cudaSuccess) session().last_error = error;
  return error;
}

cudaError_t now_or_captured(std::function<cudaError_t()> work) {
  if (!session().capturing) return work();
  session().capturing->work.push_back(std::move(work));
  return cudaSuccess;
}

std::string kernel_label(const KernelRow& row) {
  int status = 0;
  const bool mangled = std::strncmp(row.name, "_Z", 2) == 0;  // a plain name may be that of a type: c is char
  char* text = mangled ? abi::__cxa_demangle(row.name, nullptr, nullptr, &status) : nullptr;
  std::string label = status == 0 && text ? text : row.name;
  std::free(text);
  return label;
}

cudaError_t launch(Kernel& kernel, const LaunchShape& shape, void** arguments) {
  if (session().sticky != cudaSuccess) return session().sticky;
  if (!shape_is_legal(kernel, shape)) return cudaErrorInvalidConfiguration;
  if (shape.cooperative) {
    const std::uint64_t threads = std::uint64_t{shape.block.x} * shape.block.y * shape.block.z;
    const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    if (blocks * threads > std::uint64_t{kProcessors} * kThreadsOfProcessor) return cudaErrorCooperativeLaunchTooLarge;
  }
  start_limits();
  if (!session().capturing) return run_now(kernel, shape, arguments);
  auto kept = keep(*kernel.row, arguments);
  return now_or_captured([kernel, shape, kept] { return run_now(kernel, shape, kept->pointers.data()); });
}

}  // namespace tqm::port::cuda

using namespace tqm::port::cuda;

// What Clang's host half calls
// -----------------------------------------------------------------------------------------

namespace {

struct FatBinary {
  int magic, version;
  const char* data;
  void* unused;
};
constexpr char kImagePrefix[] = "torquetum-image:";

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  void* stream = nullptr;
};
std::vector<Configuration>& configurations() {
  static auto* list = new std::vector<Configuration>;
  return *list;
}

Kernel* kernel_of(const void* stub) {
  const auto found = session().kernels.find(stub);
  return found == session().kernels.end() ? nullptr : &found->second;
}

}  // namespace

TQM_EXPORT void** __cudaRegisterFatBinary(void* wrapper) {
  const char* text = static_cast<FatBinary*>(wrapper)->data;
  const std::size_t prefix = sizeof kImagePrefix - 1;
  if (std::strncmp(text, kImagePrefix, prefix) != 0) {
    std::fprintf(stderr, "torquetum: device code that torquetum port did not build\n");
    std::_Exit(1);
  }
  const std::string path(text + prefix, std::strcspn(text + prefix, "\n"));
  for (const Image* image : images())
    if (image->path == path) return reinterpret_cast<void**>(const_cast<Image*>(image));
  if (images().empty()) std::atexit(write_report);
  return reinterpret_cast<void**>(&load_image(path));
}
TQM_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}
TQM_EXPORT void __cudaUnregisterFatBinary(void**) {}
TQM_EXPORT void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*,
                                       void*, void*, int*) {
  const auto* image = reinterpret_cast<Image*>(handle);
  session().kernels[stub] = Kernel{image, find_kernel(*image, name)};
}
TQM_EXPORT void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t bytes, int,
                                  int) {
  session().variables[shadow] = Variable{find_symbol(*reinterpret_cast<Image*>(handle), name), bytes, name};
}
TQM_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, void* stream) {
  configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}
TQM_EXPORT int __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  if (configurations().empty()) return cudaErrorMissingConfiguration;
  const Configuration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<void**>(stream) = top.stream;
  return cudaSuccess;
}

namespace {

cudaError_t launch_stub(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                        bool cooperative) {
  Kernel* kernel = kernel_of(stub);
  if (!kernel || !kernel->row) return failed(cudaErrorInvalidDeviceFunction);
  const LaunchShape shape{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, cooperative};
  return failed(launch(*kernel, shape, arguments));
}

}  // namespace

TQM_EXPORT cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                        cudaStream_t) {
  return launch_stub(stub, grid, block, arguments, shared, false);
}
TQM_EXPORT cudaError_t cudaLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                                   std::size_t shared, cudaStream_t) {
  return launch_stub(stub, grid, block, arguments, shared, true);
}
TQM_EXPORT cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute attribute, int value) {
  Kernel* kernel = kernel_of(stub);
  if (!kernel) return failed(cudaErrorInvalidDeviceFunction);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) > kMostDynamicBytes) return failed(cudaErrorInvalidValue);
  kernel->most_dynamic_bytes = static_cast<std::size_t>(value);
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) {
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
  const Kernel* kernel = kernel_of(stub);
  if (!kernel) return failed(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 80;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel->most_dynamic_bytes);
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub, int threads,
                                                                     std::size_t dynamic_bytes) {
  if (!kernel_of(stub)) return failed(cudaErrorInvalidDeviceFunction);
  if (threads < 1) return failed(cudaErrorInvalidValue);
  *blocks = threads > 1024 ? 0 : std::min(32, kThreadsOfProcessor / threads);
  if (dynamic_bytes > 0) *blocks = std::min(*blocks, static_cast<int>(kMostDynamicBytes / dynamic_bytes));
  return cudaSuccess;
}
