// Where the variables of a split body live: of one loop over threads, the thread's own; cheap ones computed anew in
// each loop that needs them; what else several loops need, an array with one element a thread.
#pragma once

#include <vector>

#include "port/ir/node.hpp"
#include "port/passes/split.hpp"

namespace tqm::port::passes {

// Gives the body; adds to `thread_arrays` (their storage becomes Storage::thread_array) and to `shared`.
ir::Stmts place_variables(SplitBody split, std::vector<ir::VariableRef>& thread_arrays,
                          std::vector<ir::VariableRef>& shared);

}  // namespace tqm::port::passes
