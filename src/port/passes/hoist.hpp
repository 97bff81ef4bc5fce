// Takes chosen expressions out of the statements they stand in, so that each stands alone before: x = f(a) + 1 becomes
// t = f(a); x = t + 1. What stands behind &&, || or ?: is taken out under an if, a loop's condition into the loop.
#pragma once

#include <functional>

#include "port/ir/build.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::passes {

struct Hoist {
  std::function<bool(const ir::Expr&)> chosen;
  // Writes what computes the expression (its operands are hoisted already) to `before`, gives what stands in its place.
  std::function<ir::ExprRef(const ir::ExprRef&, ir::Stmts& before)> take;
};

ir::Stmts hoist(const ir::Stmts& stmts, const Hoist& how, ir::Names& names);

}  // namespace tqm::port::passes
