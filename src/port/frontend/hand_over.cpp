#include "port/frontend/hand_over.hpp"

#include <algorithm>

#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port {
namespace {

bool is_atomic(const ir::Expr& expr) {
  return expr.kind == ir::Expr::Kind::intrinsic && ir::is_atomic(expr.name);
}

bool uses_an_old_value(const ir::Stmts& stmts) {
  int all = 0, bare = 0;
  ir::for_each_expr(stmts, [&](const ir::Expr& expr) { all += is_atomic(expr) ? 1 : 0; });
  ir::for_each_stmt(stmts, [&](const ir::Stmt& stmt) {
    bare += stmt.kind == ir::Stmt::Kind::evaluate && stmt.value && is_atomic(*stmt.value) ? 1 : 0;
  });
  return all > bare;
}

}  // namespace

void judge_hand_over(ir::Kernel& kernel) {
  const bool counts = uses_an_old_value(kernel.entry->body) ||
                      std::any_of(kernel.functions.begin(), kernel.functions.end(),
                                  [](const ir::FunctionRef& one) { return uses_an_old_value(one->body); });
  if (!counts) std::erase_if(kernel.remarks, [](const ir::Remark& remark) { return remark.number == kHandOver; });
}

}  // namespace tqm::port
