#include "port/ir/walk.hpp"

#include <algorithm>
#include <utility>

#include "port/ir/intrinsics.hpp"

namespace tqm::port::ir {

void for_each_expr(const ExprRef& expr, const std::function<void(const Expr&)>& visit) {
  if (!expr) return;
  for (const auto& arg : expr->args) for_each_expr(arg, visit);
  visit(*expr);
}

void for_each_expr(const Stmts& stmts, const std::function<void(const Expr&)>& visit) {
  for_each_stmt(stmts, [&](const Stmt& stmt) {
    for_each_expr(stmt.value, visit);
    for_each_expr(stmt.step, visit);
  });
}

void for_each_stmt(const Stmts& stmts, const std::function<void(const Stmt&)>& visit) {
  for (const auto& stmt : stmts) {
    visit(*stmt);
    if (stmt->init) for_each_stmt({stmt->init}, visit);
    for_each_stmt(stmt->body, visit);
    for_each_stmt(stmt->other, visit);
  }
}

ExprRef copy_with_args(const ExprRef& expr, std::vector<ExprRef> args) {
  Expr copy = *expr;
  copy.args = std::move(args);
  return std::make_shared<const Expr>(std::move(copy));
}

ExprRef rewrite(const ExprRef& expr, const ChangeExpr& change) {
  if (!expr) return expr;
  std::vector<ExprRef> args;
  bool changed = false;
  for (const auto& arg : expr->args) {
    args.push_back(rewrite(arg, change));
    changed = changed || args.back() != arg;
  }
  return change(changed ? copy_with_args(expr, std::move(args)) : expr);
}

Stmts rewrite_exprs(const Stmts& stmts, const ChangeExpr& change) {
  Stmts result;
  for (const auto& stmt : stmts) {
    Stmt copy = *stmt;
    copy.value = rewrite(stmt->value, change);
    copy.step = rewrite(stmt->step, change);
    if (stmt->init) {
      Stmts init = rewrite_exprs({stmt->init}, change);
      copy.init = init.front();
    }
    copy.body = rewrite_exprs(stmt->body, change);
    copy.other = rewrite_exprs(stmt->other, change);
    result.push_back(std::make_shared<const Stmt>(std::move(copy)));
  }
  return result;
}

Stmts rewrite_stmts(const Stmts& stmts, const ChangeStmt& change) {
  Stmts result;
  for (const auto& stmt : stmts) {
    Stmt copy = *stmt;
    copy.body = rewrite_stmts(stmt->body, change);
    copy.other = rewrite_stmts(stmt->other, change);
    for (auto& made : change(std::make_shared<const Stmt>(std::move(copy)))) result.push_back(std::move(made));
  }
  return result;
}

bool any_expr(const ExprRef& expr, const std::function<bool(const Expr&)>& test) {
  if (!expr) return false;
  if (test(*expr)) return true;
  return std::any_of(expr->args.begin(), expr->args.end(), [&](const ExprRef& arg) { return any_expr(arg, test); });
}

bool any_expr(const Stmts& stmts, const std::function<bool(const Expr&)>& test) {
  return any_stmt(stmts, [&](const Stmt& stmt) { return any_expr(stmt.value, test) || any_expr(stmt.step, test); });
}

bool any_stmt(const Stmts& stmts, const std::function<bool(const Stmt&)>& test) {
  return std::any_of(stmts.begin(), stmts.end(), [&](const StmtRef& stmt) {
    return test(*stmt) || (stmt->init && any_stmt({stmt->init}, test)) || any_stmt(stmt->body, test) ||
           any_stmt(stmt->other, test);
  });
}

bool uses(const ExprRef& expr, const VariableRef& variable) {
  return any_expr(expr, [&](const Expr& node) { return node.variable == variable; });
}

bool uses(const Stmts& stmts, const VariableRef& variable) {
  return any_expr(stmts, [&](const Expr& node) { return node.variable == variable; });
}

VariableRef root_variable(const ExprRef& place) {
  switch (place->kind) {
    case Expr::Kind::variable:
      return place->variable;
    case Expr::Kind::subscript:
      if (is_pointer(place->args[0]->type) && place->args[0]->kind != Expr::Kind::variable) return nullptr;
      return root_variable(place->args[0]);
    case Expr::Kind::member:
    case Expr::Kind::cast:
      return root_variable(place->args[0]);
    case Expr::Kind::unary:
      if (place->op == Op::dereference) return root_variable(place->args[0]);
      return nullptr;
    default:
      return nullptr;
  }
}

bool has_effects(const ExprRef& expr) {
  return any_expr(expr, [](const Expr& node) {
    if (node.kind == Expr::Kind::assign || node.kind == Expr::Kind::call) return true;
    if (node.kind == Expr::Kind::unary) return node.op >= Op::pre_increment && node.op <= Op::post_decrement;
    return node.kind == Expr::Kind::intrinsic && !is_pure(node.name);
  });
}

namespace {

// The variable itself is changed, not what it points to.
VariableRef changed_variable(const ExprRef& place) {
  switch (place->kind) {
    case Expr::Kind::variable:
      return place->variable;
    case Expr::Kind::subscript:
      return is_array(place->args[0]->type) ? changed_variable(place->args[0]) : nullptr;
    case Expr::Kind::member:
    case Expr::Kind::cast:
      return changed_variable(place->args[0]);
    case Expr::Kind::thread_element:
      return place->variable;
    default:
      return nullptr;
  }
}

VariableRef written_by(const Expr& node) {
  if (node.kind == Expr::Kind::assign) return changed_variable(node.args[0]);
  if (node.kind == Expr::Kind::unary &&
      ((node.op >= Op::pre_increment && node.op <= Op::post_decrement) || node.op == Op::address))
    return changed_variable(node.args[0]);
  return nullptr;
}

}  // namespace

std::vector<VariableRef> written(const Stmts& stmts) {
  std::vector<VariableRef> result;
  for_each_expr(stmts, [&](const Expr& node) {
    if (auto variable = written_by(node)) result.push_back(variable);
    // An array given away as a pointer may be written there.
    if (node.kind == Expr::Kind::call || node.kind == Expr::Kind::intrinsic || node.kind == Expr::Kind::binary ||
        node.kind == Expr::Kind::cast || node.kind == Expr::Kind::assign)
      for (const auto& arg : node.args)
        if (is_array(arg->type))
          if (auto variable = changed_variable(arg)) result.push_back(variable);
  });
  return result;
}

bool is_written(const Stmts& stmts, const VariableRef& variable) {
  const auto all = written(stmts);
  return std::find(all.begin(), all.end(), variable) != all.end();
}

bool same_expr(const ExprRef& a, const ExprRef& b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind || a->args.size() != b->args.size()) return false;
  if (a->op != b->op || a->value != b->value || a->name != b->name || a->variable != b->variable ||
      a->function != b->function || a->field != b->field || !same_type(a->type, b->type))
    return false;
  if (a->kind == Expr::Kind::index && a->index != b->index) return false;
  if (a->kind == Expr::Kind::floating && !(a->real == b->real)) return false;
  for (std::size_t i = 0; i < a->args.size(); ++i)
    if (!same_expr(a->args[i], b->args[i])) return false;
  return true;
}

}  // namespace tqm::port::ir
