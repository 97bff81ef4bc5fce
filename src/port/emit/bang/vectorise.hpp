// Loops over threads as vector calls: a thread becomes a lane.
//
// Threads of a block between two barriers may run in any order, so running them side by side, one statement after the
// other, is always one of the orders that CUDA allows; no dependence is looked for. A value is the same in all lanes
// (and stays a scalar), a number that moves by a fixed step from lane to lane (an index), or a vector in NRAM. A
// condition on an index narrows the range of lanes; one on data becomes a mask of ones and zeros, and what it chooses
// is blended by bits (multiplying by a mask would let NaN and infinity through). What has no vector form stays a loop
// over the lanes for that statement alone.
//
// Where threads do not meet and know only their place in the grid, blocks are merged: a task takes tiles of the grid's
// whole width, as long as NRAM has room.
#pragma once

#include <optional>
#include <vector>

#include "port/ir/node.hpp"
#include "port/passes/task_form.hpp"

namespace tqm::port::emit {

struct VectorForm {
  ir::Function entry;                   // with vector calls: intrinsics whose names begin with "bang."
  std::vector<ir::VariableRef> lanes;   // vectors, one element a lane; as long as a tile or a block
  bool merged = false;                  // lanes are places in the grid: the body is that of a tile
  std::vector<ir::VariableRef> arrays;  // a thread's own arrays, in NRAM: threads take turns
  bool chunked = false;                 // lanes are iterations of a thread's loop, kTile at a time
};

// None where nothing of it can be vectorised.
// block_x: the block's width where all launches have the same; 0: not known.
std::optional<VectorForm> vectorise(const passes::TaskForm& form, bool flat_blocks, int block_x);

// Loops inside a thread: their iterations become lanes. None where no loop's can.
std::optional<VectorForm> vectorise_loops(const passes::TaskForm& form, bool flat_blocks);

}  // namespace tqm::port::emit
