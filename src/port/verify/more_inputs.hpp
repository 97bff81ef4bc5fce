// Inputs beyond those that were given: sizes beyond what the translation's tasks and tiles hold in one go, and, where a
// condition of the original has an outcome that no case shows, others that do.
//
// Every input here is judged by the original alone: one that makes it fault is no input of its own.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "port/verify/branch_cover.hpp"
#include "port/verify/check_case.hpp"
#include "port/verify/check_kernel.hpp"

namespace tqm::port {

// The cases given, and behind them what was found. `folder` is used for the original's runs.
Result<std::vector<PreparedCase>> with_more_inputs(const Sides& sides, const CheckPlan& plan, const KernelCases& cases,
                                                   const std::filesystem::path& folder);

}  // namespace tqm::port
