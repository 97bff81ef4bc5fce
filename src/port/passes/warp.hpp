// One warp operation in two halves: what every thread offers, and what it picks from what the others offered.
//
//   y = shuffle_down(x, 4, 32)   →   offer: lane_value = x;   pick: y = lane_value of thread + 4, or its own
#pragma once

#include "port/ir/build.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::passes {

struct WarpParts {
  bool known = false;
  ir::Stmts offer;     // in a loop over the threads
  ir::StmtRef clear;   // before it, in a loop over all threads, where only some take part
  ir::Stmts pick;      // in the loop after
  ir::ExprRef result;  // of the operation, after pick
};

// if (thread % 32 == 0) statement: by the first thread of each warp, which stands for all of it.
ir::StmtRef for_warp_leaders(ir::ExprRef evaluated);
bool is_for_warp_leaders(const ir::Stmt& stmt);

WarpParts warp_parts(const ir::Expr& operation, bool masked, ir::Names& names);

}  // namespace tqm::port::passes
