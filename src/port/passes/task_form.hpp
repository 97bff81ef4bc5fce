// From "what one thread does" to "what one task does for one block": barriers split the body, each part runs for every
// thread before the next begins.
//
//   x = in[i];                         for each thread  x[thread] = in[i]
//   tile[t] = x;                 →     for each thread  tile[t] = x[thread]
//   barrier;                           for each thread  out[i] = tile[n - t] + x[thread]
//   out[i] = tile[n - t] + x;
//
// What all threads compute alike is computed once, outside the loops over threads. Values that live across a split
// become arrays with one element a thread (Storage::thread_array); cheap ones are computed anew instead. Loops and ifs
// around a barrier stand outside the loops over threads: their conditions must be uniform. Around a warp operation they
// may differ among threads, and then run under a mask. Warp operations become an array of what every thread offers, and
// reads of the other threads' elements.
//
// Refused: a barrier that some threads may not reach (TQP2007), a split inside a switch (TQP2018), a loop with a split
// that some threads leave from deep inside (TQP2020), waiting for another block (TQP2021).
#pragma once

#include <vector>

#include "port/ir/node.hpp"

namespace tqm::port::passes {

struct TaskForm {
  ir::Function entry;                   // its body: one block
  std::vector<ir::VariableRef> shared;  // arrays and scalars of the block, one copy a core
  std::vector<ir::VariableRef> thread_arrays;
  bool meets = false;  // threads meet: barriers or warp operations
};

// Remarks go to the kernel; look at kernel.refused() before using the result.
// With `inline_all`, every device function goes, not only those that need their threads, and integers set anew get
// names of their own (versions.hpp): the form that vectors are made of.
TaskForm task_form(ir::Kernel& kernel, bool inline_all = false);

}  // namespace tqm::port::passes
