// A CUDA program compiled to run on the emulator: each .cu file twice, as nvcc does it, both times for x86-64. The
// device half becomes a shared object that the emulator's library loads; the host half is an ordinary program linked
// with that library, whose kernels' stubs ask it to launch.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tqm::port::cuda {

struct Sources {
  std::vector<std::filesystem::path> files;  // .cu, and .c, .cpp, .cc, .cxx of the host
  std::vector<std::string> include_folders;  // -I
  std::vector<std::string> definitions;      // -D NAME or NAME=VALUE
  std::string standard;                      // c++17; empty: that
  std::vector<std::string> link;             // further arguments of the link: -lm, objects
  bool checked = true;                       // every access of device code is checked
  bool float_constants = false;              // 0.1 is 0.1f in device code
  bool one_image = false;                    // device code of all files linked together (nvcc -rdc=true)
};

// The program's path, in `folder`, which must outlive it.
Result<std::filesystem::path> build_program(const Sources& sources, const std::filesystem::path& folder);

// A side: device half alone, whose main is the emulator's (`side FOLDER`).
Result<std::filesystem::path> build_side(const Sources& sources, const std::filesystem::path& folder);

// A side as it is written, which says besides which way its conditions went, and one with a·b + c fused where the CPU
// can, as nvcc does by default: from one pass of the front end, since most of a small source's time goes into the
// headers.
struct SidePair {
  std::filesystem::path plain, contracted;
};
Result<SidePair> build_side_pair(const Sources& sources, const std::filesystem::path& folder);

}  // namespace tqm::port::cuda
