// CHGNet as a potential: energy, forces, stress, magnetic moments.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "matter/potential/checkpoint/checkpoint.hpp"
#include "matter/potential/potential.hpp"

namespace tqm::matter {

Result<std::unique_ptr<Potential>> open_chgnet(const std::filesystem::path& weights, std::string name,
                                               std::string softening, const PotentialOptions& options);

// Of a checkpoint in memory; where: what to name in messages.
Result<std::unique_ptr<Potential>> make_chgnet(const Checkpoint& checkpoint, const std::string& where, std::string name,
                                               std::string softening, const PotentialOptions& options);

}  // namespace tqm::matter
