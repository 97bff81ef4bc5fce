// Clang 19 as a child process, with bounds: how both emulators turn sources into objects and programs. What a call in
// the source means is not known here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tqm::port {

struct CompilerBounds {
  double seconds = 300;
  std::uint64_t memory_bytes = std::uint64_t{12} << 30;
};

// clang++-19; not_found with the package's name where there is none.
Result<std::filesystem::path> find_compiler();

// Runs it in `folder` (empty: ours). What it says against the source is the error: bad_input with its first errors and
// their lines. `log`, where given, takes all that it said.
Status run_compiler(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                    const CompilerBounds& bounds = {}, std::string* log = nullptr);

// Where the look-alike headers of a side are: beside the program, share/torquetum/port/SIDE/include.
Result<std::filesystem::path> look_alike_headers(const std::string& side);
// lib/NAME beside the program.
Result<std::filesystem::path> emulator_library(const std::string& name);

}  // namespace tqm::port
