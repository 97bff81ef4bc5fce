#include "port/passes/versions.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "port/ir/walk.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;
using ir::VariableRef;

namespace {

// x = … or x op= … as a statement of its own.
bool sets(const StmtRef& stmt, const VariableRef& variable) {
  if (stmt->kind != Stmt::Kind::evaluate || stmt->value->kind != Expr::Kind::assign) return false;
  const Expr& assign = *stmt->value;
  return assign.args[0]->kind == Expr::Kind::variable && assign.args[0]->variable == variable &&
         !ir::is_written({ir::evaluate(assign.args[1])}, variable);
}

Stmts renamed(const Stmts& stmts, const VariableRef& from, const VariableRef& to) {
  return ir::rewrite_exprs(stmts, [&](const ExprRef& node) -> ExprRef {
    return node->kind == Expr::Kind::variable && node->variable == from ? ir::use(to) : node;
  });
}

}  // namespace

Stmts with_versions(const Stmts& given, ir::Names& names) {
  Stmts list;
  for (const auto& stmt : given) {
    Stmt copy = *stmt;
    copy.body = with_versions(stmt->body, names);
    copy.other = with_versions(stmt->other, names);
    list.push_back(std::make_shared<const Stmt>(std::move(copy)));
  }
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (list[at]->kind != Stmt::Kind::declare || !list[at]->value) continue;
    const VariableRef first = list[at]->variable;
    if (first->storage != ir::Storage::local || !ir::is_integer(first->type)) continue;
    const auto straight = [&](const StmtRef& stmt) { return sets(stmt, first) || !ir::is_written({stmt}, first); };
    const auto after = list.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    if (!std::all_of(after, list.end(), straight) ||
        std::none_of(after, list.end(), [&](const StmtRef& stmt) { return sets(stmt, first); }))
      continue;
    VariableRef now = first;
    for (std::size_t i = at + 1; i < list.size(); ++i) {
      if (!sets(list[i], now)) continue;
      const Expr& assign = *list[i]->value;
      ExprRef value = assign.args[1];
      if (assign.op != Op::none) value = ir::binary(assign.op, assign.args[0], value);
      const auto next = ir::make_variable(names.fresh(first->name), ir::with_constant(first->type, false));
      next->line = list[i]->line;
      if (!ir::same_type(value->type, next->type)) value = ir::cast(next->type, value);
      auto made = std::make_shared<Stmt>(*ir::declare(next, value));
      made->comments = list[i]->comments;
      made->line = list[i]->line;
      list[i] = made;
      const auto rest = list.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const Stmts tail = renamed(Stmts(rest, list.end()), now, next);
      std::copy(tail.begin(), tail.end(), rest);
      now = next;
    }
  }
  return list;
}

}  // namespace tqm::port::passes
