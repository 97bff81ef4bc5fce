#include <array>
#include <dlfcn.h>

#include "chips/detect.hpp"

namespace tqm::chips {
namespace {

Error refused(const char* call, int code) {
  return Error{ErrorKind::environment, std::string(call) + " failed with code " + std::to_string(code), "libcuda.so.1",
               "is the NVIDIA driver loaded?"};
}

}  // namespace

Result<std::string> ask_libcuda() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error{ErrorKind::not_found, "libcuda.so.1 can't be loaded", ::dlerror(), "is the NVIDIA driver installed?"};
  // Declared in CUDA's driver API reference; no CUDA header is needed for these.
  const auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(library, "cuInit"));
  const auto count_devices = reinterpret_cast<int (*)(int*)>(::dlsym(library, "cuDeviceGetCount"));
  const auto get_device = reinterpret_cast<int (*)(int*, int)>(::dlsym(library, "cuDeviceGet"));
  const auto get_name = reinterpret_cast<int (*)(char*, int, int)>(::dlsym(library, "cuDeviceGetName"));
  const auto get_memory = reinterpret_cast<int (*)(size_t*, int)>(::dlsym(library, "cuDeviceTotalMem_v2"));
  if (!init || !count_devices || !get_device || !get_name || !get_memory)
    return Error{ErrorKind::environment, "libcuda.so.1 lacks the calls that name its devices", "", "update the driver"};
  int code = init(0);
  if (code != 0) return refused("cuInit", code);
  int count = 0;
  if (code = count_devices(&count); code != 0) return refused("cuDeviceGetCount", code);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    int device = 0;
    std::array<char, 256> device_name{};
    size_t bytes = 0;
    if (code = get_device(&device, i); code != 0) return refused("cuDeviceGet", code);
    if (code = get_name(device_name.data(), static_cast<int>(device_name.size()) - 1, device); code != 0)
      return refused("cuDeviceGetName", code);
    if (code = get_memory(&bytes, device); code != 0) return refused("cuDeviceTotalMem", code);
    lines += std::string(device_name.data()) + ", " + std::to_string(bytes >> 20) + "\n";
  }
  return lines;
}

}  // namespace tqm::chips
