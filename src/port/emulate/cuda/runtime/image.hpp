// The device half of a program as the build step leaves it: a table of kernels and of shared variables in two sections
// of a shared object (or of a side's executable), whose borders the symbol tqm_cuda_image names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tqm::port::cuda {

// Laid out as src/port/emulate/cuda/device_ir.cpp writes them.
struct KernelRow {
  const char* name;                // mangled
  void (*call)(void** arguments);  // loads the arguments and calls the body
  void* body;
  std::uint64_t parameter_count;
  const std::uint64_t* parameter_bytes;
};
struct SharedRow {
  void* address;
  std::uint64_t bytes;
  const char* name;
};
struct BranchRow {
  const char* file;
  std::int32_t line, column;
  unsigned char label;     // of a switch
  unsigned char leads[2];  // Outcome of port/launch/branch.hpp: false, true
  unsigned char seen[2];
};
struct ImageBorders {
  const KernelRow *kernels_begin, *kernels_end;
  const SharedRow *shared_begin, *shared_end;
  unsigned char *section_begin, *section_end;  // static shared variables, each followed by a zone that belongs to none
  unsigned char* dynamic;                      // what extern __shared__ names
  std::uint64_t dynamic_bytes;
  std::uint64_t checked;  // compiled with the hooks that check each access
  BranchRow *branches_begin, *branches_end;
};

struct Image {
  std::string path;
  void* handle = nullptr;  // of dlopen
  const ImageBorders* borders = nullptr;
  std::uintptr_t base = 0, begin = 0, end = 0;  // where it is loaded
};

// Opens a shared object, or with an empty path takes the running program's own image. Ends the program with a message
// where that is not an image: it was made by the same build step.
Image& load_image(const std::string& path);
const std::vector<Image*>& images();
const Image* image_at(std::uintptr_t address);
const KernelRow* find_kernel(const Image& image, const std::string& name);
void* find_symbol(const Image& image, const std::string& name);

}  // namespace tqm::port::cuda
