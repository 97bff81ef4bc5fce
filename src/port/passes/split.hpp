// A body split where threads meet: each part in a loop over the threads of the block. Loops and ifs around a meeting
// stand outside; where their conditions differ among threads that meet in a warp only, the parts run under a mask.
#pragma once

#include <set>

#include "port/ir/build.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::passes {

struct SplitBody {
  ir::Stmts body;
  std::set<ir::VariableRef> flags;  // masks, one a thread
};

// Meetings must stand alone. Refusals go to the kernel.
SplitBody split_threads(ir::Kernel& kernel, ir::Function& function, ir::Names& names);

}  // namespace tqm::port::passes
