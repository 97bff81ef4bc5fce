#include "port/passes/common_stores.hpp"

#include <memory>
#include <utility>

#include "port/ir/walk.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;

namespace {

bool is_plain_store(const Stmts& stmts) {
  if (stmts.empty() || stmts.back()->kind != Stmt::Kind::evaluate) return false;
  const Expr& expr = *stmts.back()->value;
  return expr.kind == Expr::Kind::assign && expr.op == Op::none && expr.args[0]->kind != Expr::Kind::variable &&
         ir::is_scalar(expr.args[0]->type) && !expr.args[0]->type->is_volatile;
}

// Whether the place means the same before the branch's statements as behind them: it reads no memory, and nothing that
// they write.
bool stays(const ExprRef& place, const Stmts& stmts) {
  const auto operands_read_memory = [](const Expr& node) {
    return node.kind == Expr::Kind::subscript || (node.kind == Expr::Kind::unary && node.op == Op::dereference) ||
           node.kind == Expr::Kind::call;
  };
  for (const auto& operand : place->args) {
    if (ir::has_effects(operand) || ir::any_expr(operand, operands_read_memory)) return false;
  }
  const bool moved = ir::any_expr(stmts, [&](const Expr& node) {
    const bool steps = node.kind == Expr::Kind::unary && node.op >= Op::pre_increment && node.op <= Op::post_decrement;
    const bool leaks = node.kind == Expr::Kind::unary && node.op == Op::address;
    return (node.kind == Expr::Kind::assign || steps || leaks) && node.args[0]->kind == Expr::Kind::variable &&
           ir::uses(place, node.args[0]->variable);
  });
  return !moved && !ir::any_stmt(stmts, [&](const Stmt& stmt) {
    return (stmt.kind == Stmt::Kind::declare && ir::uses(place, stmt.variable)) || stmt.kind == Stmt::Kind::leave ||
           stmt.kind == Stmt::Kind::next || stmt.kind == Stmt::Kind::give_back || stmt.kind == Stmt::Kind::barrier;
  });
}

}  // namespace

Stmts with_common_stores(const Stmts& stmts, ir::Names& names) {
  return ir::rewrite_stmts(stmts, [&](const StmtRef& stmt) -> Stmts {
    if (stmt->kind != Stmt::Kind::branch || !is_plain_store(stmt->body) || !is_plain_store(stmt->other)) return {stmt};
    const Expr& yes = *stmt->body.back()->value;
    const Expr& no = *stmt->other.back()->value;
    if (!ir::same_expr(yes.args[0], no.args[0]) || !stays(yes.args[0], stmt->body) || !stays(yes.args[0], stmt->other))
      return {stmt};
    const auto stored = ir::make_variable(names.fresh("stored"), ir::with_constant(yes.args[0]->type, false));
    stored->line = stmt->line;
    const auto kept = [&](const Stmts& given, const ExprRef& value) {
      Stmts made = given;
      auto last = std::make_shared<Stmt>(*given.back());
      last->value = ir::assign(ir::use(stored), value);
      made.back() = last;
      return made;
    };
    auto branch = std::make_shared<Stmt>(*stmt);
    branch->body = kept(stmt->body, yes.args[1]);
    branch->other = kept(stmt->other, no.args[1]);
    auto store = std::make_shared<Stmt>(*ir::evaluate(ir::assign(yes.args[0], ir::use(stored))));
    store->line = stmt->line;
    return {ir::declare(stored), branch, store};
  });
}

}  // namespace tqm::port::passes
