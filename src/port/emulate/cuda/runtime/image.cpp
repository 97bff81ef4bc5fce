#include "port/emulate/cuda/runtime/image.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>

#include "base/process.hpp"

namespace tqm::port::cuda {
namespace {

std::vector<Image*>& held() {
  static std::vector<Image*> list;
  return list;
}

// Where the object that holds `address` lies in memory.
void place(Image& image) {
  auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& into = *static_cast<Image*>(data);
    const auto wanted = reinterpret_cast<std::uintptr_t>(into.borders);
    std::uintptr_t begin = UINTPTR_MAX;
    std::uintptr_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      begin = std::min<std::uintptr_t>(begin, info->dlpi_addr + header.p_vaddr);
      end = std::max<std::uintptr_t>(end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
    }
    if (wanted < begin || wanted >= end) return 0;
    into.base = info->dlpi_addr;
    into.begin = begin;
    into.end = end;
    return 1;
  };
  dl_iterate_phdr(visit, &image);
}

}  // namespace

Image& load_image(const std::string& path) {
  auto* image = new Image;  // for the program's life
  image->path = path;
  image->handle = dlopen(path.empty() ? nullptr : path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image->handle) image->borders = static_cast<const ImageBorders*>(dlsym(image->handle, "tqm_cuda_image"));
  if (!image->borders) {
    const char* why = dlerror();
    std::fprintf(stderr, "torquetum: the device code %s can't be loaded: %s\n", path.c_str(), why ? why : "");
    std::_Exit(1);
  }
  if (path.empty()) image->path = own_binary().string();  // for others to open: /proc/self is theirs then
  place(*image);
  held().push_back(image);
  return *image;
}

const std::vector<Image*>& images() {
  return held();
}

const Image* image_at(std::uintptr_t address) {
  for (const Image* image : held())
    if (address >= image->begin && address < image->end) return image;
  return nullptr;
}

const KernelRow* find_kernel(const Image& image, const std::string& name) {
  for (const KernelRow* row = image.borders->kernels_begin; row != image.borders->kernels_end; ++row)
    if (row->name == name) return row;
  return nullptr;
}

void* find_symbol(const Image& image, const std::string& name) {
  return dlsym(image.handle, name.c_str());
}

}  // namespace tqm::port::cuda
