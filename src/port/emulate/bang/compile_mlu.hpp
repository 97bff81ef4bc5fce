// From a .mlu file to a side: a program that runs its kernels on the emulator (runtime/side.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "chips/chip.hpp"

namespace tqm::port::bang {

// Where the emulator's parts are: beside our own binary, built or installed.
struct EmulatorPlaces {
  std::filesystem::path headers;  // share/torquetum/port/bang/include
  std::filesystem::path library;  // the folder of libtorquetum-bang-emulator.so
};
Result<EmulatorPlaces> find_emulator();

struct MluSource {
  std::filesystem::path file;
  std::vector<std::pair<std::string, std::string>> kernels;  // name in the case, expression in the source: k<float>
  std::vector<std::string> flags;                            // -I, -D, -include
  std::string append;                                        // text after the source: instances of templates
};

// Preprocessed, prepared, compiled and linked into `side`. A compiler's complaint is bad_input with its first errors.
Result<void> compile_mlu(const MluSource& source, const chips::Chip& chip, const EmulatorPlaces& places,
                         const std::filesystem::path& side);

}  // namespace tqm::port::bang
