// Where the cases of a kernel come from: a harness, else launches recorded while the program's own host code ran, else
// launches of our own choosing with buffers that are large enough.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "port/ir/node.hpp"
#include "port/verify/check_kernel.hpp"

namespace tqm::port {

struct CaseSources {
  std::optional<Harness> harness;
  std::filesystem::path recorded;  // of `torquetum port run --record`; empty: none
  std::uint64_t seed = 1;
};

// An Error of kind not_found where no source has a case for it; then `guessed_cases` may.
Result<KernelCases> chosen_cases(const ir::Kernel& kernel, const CaseSources& sources);

// Scalars by their type, pointers to buffers of `elements` each, a few blocks. Refused (unsupported) where a parameter
// is a struct or points to one, or a variable of the file must be filled.
Result<KernelCases> guessed_cases(const ir::Kernel& kernel, std::size_t elements, std::uint64_t seed);

}  // namespace tqm::port
