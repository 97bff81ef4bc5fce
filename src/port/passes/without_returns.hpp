// A body without return in the middle: what follows an early return moves into the other branch, or behind a flag where
// the return stands in a loop. `result` takes the value; none for void.
#pragma once

#include "port/ir/build.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::passes {

ir::Stmts without_returns(const ir::Stmts& body, const ir::VariableRef& result, ir::Names& names);

// The same for continue in the body of one loop: what follows moves into the other branch.
ir::Stmts without_next(const ir::Stmts& body, ir::Names& names);

// !condition, with the comparison turned round where that says the same (integers: no NaN).
ir::ExprRef negated(const ir::ExprRef& condition);

}  // namespace tqm::port::passes
