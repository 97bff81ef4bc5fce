// A case made ready: the launch, what its buffers hold, and what is known of their elements.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "port/launch/launch_case.hpp"
#include "port/verify/harness.hpp"

namespace tqm::port {

struct PreparedCase {
  std::string label;  // "random, n = 1000"
  Fill fill = Fill::random;
  std::uint64_t seed = 0;
  Sizes sizes;  // empty where the case was not made from a harness
  LaunchCase launch;
  std::map<std::string, std::vector<std::byte>> contents;  // of every initialised buffer
  std::map<std::string, Element> elements;                 // of every buffer
  std::vector<std::string> outputs;
  std::vector<std::optional<Element>> argument_elements;  // of arguments that are one number; others have none
};

inline constexpr std::size_t kMostCaseBytes = std::size_t{1} << 30;  // of all buffers of a case

// One case of a harness. The same seed gives the same bytes; seeds of cases need not differ.
Result<PreparedCase> prepare(const HarnessKernel& kernel, const Sizes& sizes, Fill fill, std::uint64_t seed);

// All of a kernel's cases: the first sizes with every fill, the other sizes with the first fill.
Result<std::vector<PreparedCase>> prepare_all(const HarnessKernel& kernel, std::uint64_t seed);

// FOLDER/case.json and the buffers' files.
Status write_prepared(const PreparedCase& prepared, const std::filesystem::path& folder);

}  // namespace tqm::port
