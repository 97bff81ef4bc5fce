// Which way each condition of a kernel goes, counted: a call before each branch, switch and choice of the user's own
// code, in Clang's LLVM text before it is optimised. What the optimiser then proves (a condition that holds for every
// input, code that cannot be reached) is read off the calls that are left.
//
// Clang's own source coverage counts regions, needs its run-time library and two more programs to be read, and says
// nothing of an if without else. Labels and debug lines of the text have all that is needed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "port/launch/branch.hpp"

namespace tqm::port::cuda {

struct BranchedText {
  std::string text;
  std::vector<Branch> branches;
};

// `tag` as of prepare_device_ir. Conditions in files whose path begins with one of `others` are left alone.
BranchedText insert_branches(std::string_view text, const std::string& tag, const std::vector<std::string>& others);

// The optimised text with the table of branches in place of its declarations, as runtime/image.hpp reads it.
std::string with_branch_table(std::string_view optimised, std::vector<Branch> branches, const std::string& tag);

}  // namespace tqm::port::cuda
