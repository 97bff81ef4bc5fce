#include "port/passes/task_level.hpp"

#include <algorithm>
#include <set>

#include "port/ir/build.hpp"
#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/meeting.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;
using ir::Storage;
using ir::VariableRef;

TaskLevel::TaskLevel(const ir::Stmts& body) : body_(body), uniform_(body) {
  place_uniform_variables();
}

bool TaskLevel::once(const Stmt& stmt) const {
  switch (stmt.kind) {
    case Stmt::Kind::declare:
      if (stmt.variable->storage != Storage::local) return true;
      if (uniform_.varies(stmt.variable)) return false;
      return !stmt.value || (!uniform_.varies(stmt.value) && only_local_effects(stmt.value));
    case Stmt::Kind::evaluate:
      return !uniform_.varies(stmt.value) && changes_locals_only(stmt.value);
    case Stmt::Kind::leave:
    case Stmt::Kind::next:
      return false;
    case Stmt::Kind::block:
      return once(stmt.body);
    case Stmt::Kind::branch:
      return !uniform_.varies(stmt.value) && only_local_effects(stmt.value) && once_inside(stmt.body) &&
             once_inside(stmt.other);
    case Stmt::Kind::for_loop:
    case Stmt::Kind::while_loop:
    case Stmt::Kind::do_loop:
      return !uniform_.loop_varies(stmt) && (!stmt.init || once(*stmt.init)) &&
             (!stmt.value || only_local_effects(stmt.value)) && (!stmt.step || changes_locals_only(stmt.step)) &&
             once_inside(stmt.body);
    default:
      return false;
  }
}

bool TaskLevel::once(const Stmts& stmts) const {
  return std::all_of(stmts.begin(), stmts.end(), [&](const StmtRef& stmt) { return once(*stmt); });
}

// Where a break belongs to a loop that itself stands outside.
bool TaskLevel::once_inside(const Stmts& stmts) const {
  return std::all_of(stmts.begin(), stmts.end(), [&](const StmtRef& stmt) {
    if (stmt->kind == Stmt::Kind::leave || stmt->kind == Stmt::Kind::next) return true;
    if (stmt->kind == Stmt::Kind::branch)
      return !uniform_.varies(stmt->value) && only_local_effects(stmt->value) && once_inside(stmt->body) &&
             once_inside(stmt->other);
    if (stmt->kind == Stmt::Kind::block) return once_inside(stmt->body);
    return once(*stmt);
  });
}

bool TaskLevel::only_local_effects(const ExprRef& expr) const {
  return !ir::any_expr(expr, [&](const Expr& node) {
    if (node.kind == Expr::Kind::call) return true;
    if (node.kind == Expr::Kind::intrinsic) return !ir::is_pure(node.name);
    if (node.kind == Expr::Kind::assign ||
        (node.kind == Expr::Kind::unary && node.op >= Op::pre_increment && node.op <= Op::post_decrement))
      return !is_uniform_local(node.args[0]);
    return false;
  });
}

bool TaskLevel::changes_locals_only(const ExprRef& expr) const {
  const bool changes =
      expr->kind == Expr::Kind::assign ||
      (expr->kind == Expr::Kind::unary && expr->op >= Op::pre_increment && expr->op <= Op::post_decrement) ||
      (expr->kind == Expr::Kind::binary && expr->op == Op::comma);
  return changes && only_local_effects(expr);
}

bool TaskLevel::is_uniform_local(const ExprRef& place) const {
  if (place->kind == Expr::Kind::variable)
    return (place->variable->storage == Storage::local || place->variable->storage == Storage::parameter) &&
           !uniform_.varies(place->variable);
  if (place->kind == Expr::Kind::member) return is_uniform_local(place->args[0]);
  if (place->kind == Expr::Kind::subscript && ir::is_array(place->args[0]->type))
    return is_uniform_local(place->args[0]);
  return false;
}

// A uniform variable that a statement inside a loop over threads changes must be declared in that same statement;
// otherwise each thread would change the one copy. Such variables vary after all; so does what depends on them.
void TaskLevel::place_uniform_variables() {
  bool more = true;
  while (more) {
    more = false;
    std::vector<VariableRef> found;
    look(body_, found);
    for (const auto& variable : found)
      if (!uniform_.varies(variable)) {
        uniform_.add(variable);
        more = true;
      }
  }
}

void TaskLevel::look(const Stmts& stmts, std::vector<VariableRef>& found) const {
  for (const auto& stmt : stmts) {
    if (once(*stmt)) continue;
    const bool splits = meets({stmt});
    if (splits && (stmt->kind == Stmt::Kind::block || stmt->kind == Stmt::Kind::branch || is_loop(*stmt))) {
      if (stmt->init) look({stmt->init}, found);
      if (stmt->step && !changes_locals_only(stmt->step)) note_changes({ir::evaluate(stmt->step)}, found);
      look(stmt->body, found);
      look(stmt->other, found);
      continue;
    }
    if (splits) continue;
    note_changes({stmt}, found);
  }
}

void TaskLevel::note_changes(const Stmts& stmts, std::vector<VariableRef>& found) const {
  std::set<VariableRef> declared;
  ir::for_each_stmt(stmts, [&](const Stmt& stmt) {
    if (stmt.kind == Stmt::Kind::declare) declared.insert(stmt.variable);
  });
  for (const auto& variable : ir::written(stmts))
    if ((variable->storage == Storage::local || variable->storage == Storage::parameter) &&
        !declared.contains(variable))
      found.push_back(variable);
  // A declaration that has to stand in the loop over threads belongs to the thread.
  for (const auto& stmt : stmts)
    if (stmt->kind == Stmt::Kind::declare && stmt->variable->storage == Storage::local) found.push_back(stmt->variable);
}

}  // namespace tqm::port::passes
