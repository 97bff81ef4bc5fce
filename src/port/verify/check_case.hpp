// One case run on both sides in every way, and judged.
//
// The CUDA side runs with its blocks from first to last, from last to first and in random order, once more with fused
// multiply-add, with its functions as far off as CUDA documents, where the translation may add in another order with
// all of it rounded up and rounded down, and under another poison. The BANG side runs under the schedules of
// asynchronous copies, with table calls exact and at their worst, with other numbers of tasks, and under another
// poison. All runs of the BANG side must be equal to the bit but for the one with the worst tables; the first is
// compared with the CUDA side.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "port/verify/bang_case.hpp"
#include "port/verify/compare.hpp"
#include "port/verify/run_side.hpp"

namespace tqm::port {

enum class Agreement : std::uint8_t {
  agrees,
  differs,         // the sides differ, or the translation itself is at fault
  original_fault,  // the CUDA side is at fault: there is nothing to compare with
  not_run,         // no verdict: a side could not be run to its end
  refused,         // by the translator, with its reason
};
std::string_view name(Agreement agreement);  // "original-fault"

struct Sides {
  std::filesystem::path cuda;             // contraction off
  std::filesystem::path cuda_contracted;  // with fused multiply-add
  std::filesystem::path bang;
  // Where double was demoted: the original in double. `cuda` and `cuda_contracted` are then recompiled in float.
  std::filesystem::path cuda_in_double;
};

struct CheckPlan {
  BangForm form;
  Tolerance tolerance;       // relative and absolute: what the tables of approximate calls allow at their worst
  std::uint32_t tasks = 16;  // cores of the chip; a Block task may have any number
  bool rounding = false;     // the translation may add in another order: what rounding alone does is measured, too
  bool thorough = true;      // false: one run of each side, for a first look
  SideBounds bounds;
};

struct BufferVerdict {
  std::string buffer;
  Comparison comparison;
};

struct CaseVerdict {
  Agreement agreement = Agreement::agrees;
  std::string label;
  std::string reason;  // of all but agrees
  std::string file;    // of a fault: its line in the source of its side
  int line = 0;
  std::string buffer;  // of a difference
  std::optional<Difference> difference;
  std::vector<BufferVerdict> buffers;
  std::map<std::string, std::uint64_t> bang_counters;
  std::vector<Branch> branches;        // of the original, in this case
  double demotion_relative_error = 0;  // of float against the original's double: the largest over elements
};

// All runs of the CUDA side of one case.
struct CudaRuns {
  SideRun reference, contracted, other_poison;
  std::vector<SideRun> orders;
  std::vector<SideRun> functions;  // results of approximate functions as far off as CUDA documents
  std::vector<SideRun> threads;    // of each block from last to first
  std::vector<SideRun> roundings;  // rounded up, and down, throughout
  CaseVerdict verdict;             // agrees, or what these runs alone decide
};

// One run of the original, to see what an input is worth.
Result<SideRun> look_at_original(const Sides& sides, const CheckPlan& plan, const PreparedCase& prepared,
                                 const std::filesystem::path& folder);

// `folder` is made, and used for both sides' files. `kept`, where given, holds the CUDA side's runs of an earlier check
// of the same case, or takes those of this one. An Error only where a side's program can't be started.
Result<CaseVerdict> check_case(const Sides& sides, const CheckPlan& plan, const PreparedCase& prepared,
                               const std::filesystem::path& folder, std::optional<CudaRuns>* kept = nullptr);

}  // namespace tqm::port
