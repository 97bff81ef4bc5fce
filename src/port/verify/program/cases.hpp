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
struct Guess {
  std::size_t elements = 0;   // of each buffer
  std::int64_t number = 97;   // of integers: neither a power of two nor a multiple of a block, or just that
  std::int64_t threads = 64;  // of a block, where the source does not say it
  std::int64_t shared = 0;    // bytes of dynamic shared memory, where the kernel has some
  bool overloaded = false;    // another kernel has its name, too
};
Result<KernelCases> guessed_cases(const ir::Kernel& kernel, const Guess& guess, std::uint64_t seed);

}  // namespace tqm::port
