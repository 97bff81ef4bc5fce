#include "port/passes/meeting.hpp"

#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::Stmt;
using ir::Stmts;

bool is_loop(const Stmt& stmt) {
  return stmt.kind == Stmt::Kind::for_loop || stmt.kind == Stmt::Kind::while_loop || stmt.kind == Stmt::Kind::do_loop;
}

bool meeting(const Expr& expr) {
  return expr.kind == Expr::Kind::intrinsic && (ir::is_warp(expr.name) || ir::is_vote(expr.name));
}

bool meets(const Stmts& stmts) {
  return ir::any_stmt(stmts, [](const Stmt& stmt) { return stmt.kind == Stmt::Kind::barrier; }) ||
         ir::any_expr(stmts, meeting);
}

bool has_barrier(const Stmts& stmts) {
  return ir::any_stmt(stmts, [](const Stmt& stmt) { return stmt.kind == Stmt::Kind::barrier; }) ||
         ir::any_expr(stmts,
                      [](const Expr& expr) { return expr.kind == Expr::Kind::intrinsic && ir::is_vote(expr.name); });
}

}  // namespace tqm::port::passes
