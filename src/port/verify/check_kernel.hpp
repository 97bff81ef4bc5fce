// All cases of a kernel on both sides, and what they come to together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "port/verify/branch_cover.hpp"
#include "port/verify/check_case.hpp"

namespace tqm::port {

struct KernelCases {
  std::vector<PreparedCase> cases;
  // A case with other sizes, contents or seed, where they can be chosen; empty where they can't (a recorded launch).
  std::function<Result<PreparedCase>(const Sizes&, Fill, std::uint64_t seed)> remake;
  Sizes least;         // no size is made smaller than this, or than 1
  std::string origin;  // "harness sums.toml", for the report
};

struct KernelVerdict {
  Agreement agreement = Agreement::not_run;
  std::string reason;
  std::string file;  // of a fault
  int line = 0;
  std::string smallest;  // the label of the smallest case that shows a difference
  std::vector<CaseVerdict> cases;
  BranchCover branches;            // of the cases that agree
  std::vector<std::string> notes;  // what is true of the verdict and no fault: order-dependent outputs, cases left out
};

// The cases given and more that the original's conditions ask for (more_inputs.hpp). A fault of the original in its
// first case is its own; in a later case, whose input nobody may ever give it, the case is left out with a note. The
// first difference ends the run, and its case is made smaller while it still differs. It agrees only where every branch
// that leads to code was run.
Result<KernelVerdict> check_kernel(const Sides& sides, const CheckPlan& plan, const KernelCases& cases,
                                   const std::filesystem::path& folder);

}  // namespace tqm::port
