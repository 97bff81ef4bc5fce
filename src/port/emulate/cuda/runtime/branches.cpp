#include "port/emulate/cuda/runtime/branches.hpp"

#include "port/emulate/cuda/runtime/export.hpp"

using tqm::port::cuda::BranchRow;

// Called before each condition of a side that was built to count them.
TQM_EXPORT void tqm_cuda_branch(BranchRow* row, bool taken) {
  row->seen[taken ? 1 : 0] = 1;
}

namespace tqm::port::cuda {

std::vector<Branch> branches_met(const Image& image) {
  std::vector<Branch> met;
  for (const BranchRow* row = image.borders->branches_begin; row != image.borders->branches_end; ++row) {
    if (!row->seen[0] && !row->seen[1]) continue;
    Branch branch;
    branch.id = static_cast<std::size_t>(row - image.borders->branches_begin);
    branch.file = row->file;
    branch.line = row->line;
    branch.column = row->column;
    branch.label = row->label != 0;
    for (std::size_t i = 0; i < 2; ++i) {
      branch.leads[i] = static_cast<Outcome>(row->leads[i]);
      branch.seen[i] = row->seen[i] != 0;
    }
    met.push_back(std::move(branch));
  }
  return met;
}

}  // namespace tqm::port::cuda
