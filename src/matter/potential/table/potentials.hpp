// The table of potentials. Adding one is its folder beside this one and a row in potentials.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "matter/potential/potential.hpp"

namespace tqm::matter {

inline constexpr std::string_view kDefaultPotential = "nep89";

struct PotentialKind {
  std::string_view name;   // as --potential takes it, or a pattern of it
  std::string_view about;  // one line for help
  bool (*is)(std::string_view specification);
  Result<std::unique_ptr<Potential>> (*open)(const std::string& specification, const PotentialOptions& options);
};

std::span<const PotentialKind> potential_kinds();

// "nep89", "chgnet-0.3.0", "lennard-jones:sigma=3.4", "path/to/nep.txt", …
Result<std::unique_ptr<Potential>> open_potential(const std::string& specification, const PotentialOptions& options);

// A file of parameters that tools/setup potentials brings: in the folder TORQUETUM_POTENTIALS, else beside the build.
// not_found where it is not there, with how to get it.
Result<std::filesystem::path> potential_file(const std::string& name);

}  // namespace tqm::matter
