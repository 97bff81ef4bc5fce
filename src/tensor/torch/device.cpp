#include <algorithm>
#include <c10/core/Device.h>
#include <c10/core/DeviceType.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <charconv>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <optional>

#include "tensor/torch/torch.hpp"

namespace tqm::tensor {
namespace fs = std::filesystem;
namespace {

// A kind of device: LibTorch's type for it and where its library lies, seen from the site-packages folder. A module
// that no type of LibTorch names is a PrivateUse1 back end, which gets its name on loading.
struct Kind {
  std::string_view name;
  c10::DeviceType type;
  std::string_view folder;
  std::string_view library;
};

constexpr Kind kKinds[] = {
    {"cuda", c10::DeviceType::CUDA, "torch/lib", "libtorch_cuda.so"},
    {"cuda", c10::DeviceType::CUDA, "torch/lib", "libtorch_hip.so"},  // ROCm and the Hygon DCU answer to the same name
    {"xpu", c10::DeviceType::XPU, "torch/lib", "libtorch_xpu.so"},
    {"mlu", c10::DeviceType::PrivateUse1, "torch_mlu", "libtorch_mlu.so"},
    {"npu", c10::DeviceType::PrivateUse1, "torch_npu", "libtorch_npu.so"},
    {"musa", c10::DeviceType::PrivateUse1, "torch_musa", "libtorch_musa.so"},
};

// The folder that holds torch/lib/libc10.so, which this process runs with.
fs::path site_packages() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&c10::get_privateuse1_backend), &info) == 0 || !info.dli_fname) return {};
  std::error_code code;
  const fs::path real = fs::canonical(info.dli_fname, code);
  return code ? fs::path() : real.parent_path().parent_path().parent_path();
}

std::optional<fs::path> find_library(const fs::path& site, const Kind& kind) {
  std::error_code code;
  const fs::path folder = site / kind.folder;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, code), end;
       !code && it != end; it.increment(code))
    if (it->path().filename() == kind.library) return it->path();
  return std::nullopt;
}

c10::DeviceIndex device_count(const Kind& kind) {
  if (kind.type == c10::DeviceType::PrivateUse1 && c10::get_privateuse1_backend() != kind.name) return 0;
  if (!c10::impl::hasDeviceGuardImpl(kind.type)) return 0;
  return c10::impl::getDeviceGuardImpl(kind.type)->deviceCount();
}

// Loads every library that is there, once. Why one could not be loaded is kept for the message.
struct Modules {
  std::vector<std::string> failures;

  Modules() {
    const fs::path site = site_packages();
    for (const Kind& kind : kKinds) {
      if (c10::impl::hasDeviceGuardImpl(kind.type)) continue;
      const auto library = find_library(site, kind);
      if (!library) continue;
      try {
        if (!::dlopen(library->c_str(), RTLD_NOW | RTLD_GLOBAL)) {
          const char* reason = ::dlerror();
          failures.push_back(std::string(kind.name) + ": " + (reason ? reason : library->string()));
        } else if (kind.type == c10::DeviceType::PrivateUse1 && c10::get_privateuse1_backend() == "privateuseone") {
          c10::register_privateuse1_backend(std::string(kind.name));
        }
      } catch (const std::exception& thrown) {  // a module's own start-up
        failures.push_back(std::string(kind.name) + ": " + thrown.what());
      }
    }
  }
};

const Modules& modules() {
  static const Modules loaded;
  return loaded;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::vector<std::string> present_devices() {
  modules();
  std::vector<std::string> devices{"cpu"};
  for (const Kind& kind : kKinds)
    for (int i = 0; i < device_count(kind); ++i) {
      std::string device = std::string(kind.name) + ":" + std::to_string(i);
      if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(std::move(device));
    }
  return devices;
}

Result<c10::Device> open_device(const std::string& name) {
  if (name == "cpu") return c10::Device(c10::DeviceType::CPU);
  const size_t colon = name.find(':');
  const std::string word = name.substr(0, colon);
  const std::string number = colon == std::string::npos ? "0" : name.substr(colon + 1);
  int index = -1;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), index);
  const bool whole = code == std::errc() && end == number.data() + number.size();

  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.name == word; });
  if (kind == std::end(kKinds) || !whole)
    return Error{ErrorKind::unsupported, "unknown device \"" + name + "\"", "--device",
                 "devices here: " + joined(present_devices()) + "; known kinds: cpu, cuda, xpu, mlu, npu, musa"};
  const auto present = present_devices();
  if (std::find(present.begin(), present.end(), word + ":" + std::to_string(index)) == present.end()) {
    std::string why;
    for (const std::string& failure : modules().failures)
      if (failure.starts_with(word + ":")) why += "; " + failure;
    return Error{ErrorKind::not_found, "no device \"" + name + "\" on this machine", "--device",
                 "devices here: " + joined(present) + why};
  }
  return c10::Device(kind->type, static_cast<c10::DeviceIndex>(index));
}

}  // namespace tqm::tensor
