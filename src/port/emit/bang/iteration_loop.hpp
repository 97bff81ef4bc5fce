// A loop inside one thread whose iterations do not need each other, but for sums, maxima and minima:
//
//   for (int i = 0; i < n; ++i) sum += x[row * n + i] * w[i];
//
// so that iterations can be lanes of a vector. Places that an iteration writes are its own: no other iteration reads or
// writes them, taken that two pointers of a kernel are equal or do not overlap.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "port/emit/bang/lane_value.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::emit {

struct IterationLoop {
  ir::VariableRef counter;
  ir::ExprRef first, end;  // counter from first up to, not including, end, by one; first is not below zero
  ir::Stmts body;  // what is gathered stands as an intrinsic "gather.add", "gather.max", "gather.min" (place, value)
  std::optional<std::int64_t> times;
  // Pointers that must differ, since iterations go through them to different places.
  std::vector<std::pair<ir::VariableRef, ir::VariableRef>> different;
};

// What a thread's own pointers were made of: float* row = x + i * n comes from x.
using Origins = std::map<ir::VariableRef, ir::VariableRef>;
Origins origins_in(const ir::Stmts& body);

// None where iterations need each other in another way, or the loop has another form.
std::optional<IterationLoop> as_iterations(const ir::Stmt& loop, const Constants& constants, const Origins& origins);

}  // namespace tqm::port::emit
