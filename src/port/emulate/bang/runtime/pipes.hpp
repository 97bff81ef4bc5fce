// The pipes of a core: copies in flight, and what must not meet them. The rules stand in core.hpp.
#pragma once

#include <memory>

#include "port/emulate/bang/runtime/core.hpp"

namespace tqm::port::bang {

Pipe pipe_of(int direction);

// Puts a copy in flight, after it was checked against those that are and against the compute pipe. Under the eager
// schedule its bytes move now, under the latest one when it is waited for.
void issue(Core& core, std::unique_ptr<Pending> copy);

// Moves what is due and forgets it.
void wait_for_pipes(Core& core, bool io, bool move, bool compute);
void wait_for_direction(Core& core, int direction);

// Under the random schedule some copies in flight end between any two calls.
void let_pipes_run(Core& core);

// Faults where [begin, end) meets a copy in flight that it must not meet; copies of the same pipe are in order.
void check_in_flight(Core& core, const Range& range, const char* call, const Pipe* own);

// A vector call has touched this.
void note_compute(Core& core, const Range& range);

}  // namespace tqm::port::bang
