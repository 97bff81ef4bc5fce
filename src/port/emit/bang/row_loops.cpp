// Loops of a thread that all lanes run together.
#include <utility>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::Stmts;
using ir::VariableRef;
using Kind = LaneValue::Kind;

bool RowVectoriser::loop(const Stmt& stmt, const Active& active, Stmts& out) {
  if (uniform_->loop_varies(stmt)) return stmt.kind == Stmt::Kind::for_loop && stride_loop(stmt, active, out);
  const auto clean = [&](const ExprRef& expr) {
    return !expr || (!varies(expr) && !ir::any_expr(expr, [](const Expr& e) { return e.kind == Expr::Kind::call; }));
  };
  if (!clean(stmt.value) || !clean(stmt.step)) return false;
  // break and continue must stand where lanes do not differ.
  const std::function<bool(const Stmts&)> exits_vary = [&](const Stmts& stmts) {
    for (const auto& inner : stmts) {
      if (inner->kind == Stmt::Kind::branch && varies(inner->value) && ir::any_stmt({inner}, [](const Stmt& s) {
            return s.kind == Stmt::Kind::leave || s.kind == Stmt::Kind::next;
          }))
        return true;
      if (exits_vary(inner->body) || exits_vary(inner->other)) return true;
    }
    return false;
  };
  if (exits_vary(stmt.body)) return false;
  Stmt copy = stmt;
  copy.comments.clear();
  if (stmt.init) {
    if (stmt.init->kind == Stmt::Kind::declare && varies(ir::use(stmt.init->variable))) return false;
    if (stmt.init->value && (varies(stmt.init->value))) return false;
    const bool named = stmt.init->value && ir::any_expr(stmt.init->value, [&](const Expr& e) {
                         return e.variable && bindings_.contains(e.variable);
                       });
    if (named) {
      Stmts before;
      const LaneValue start = value(stmt.init->value, active, before);
      if (start.kind != Kind::uniform || !before.empty() || stmt.init->kind != Stmt::Kind::declare) return false;
      copy.init = ir::declare(stmt.init->variable, start.scalar);
    }
  }
  if (stmt.value) {
    Stmts before;
    const LaneValue test = value(stmt.value, active, before);
    if (test.kind != Kind::uniform || !before.empty()) return false;
    copy.value = test.scalar;
  }
  copy.body.clear();
  const auto bindings = bindings_;
  list(stmt.body, active, copy.body);
  bindings_ = bindings;
  out.push_back(std::make_shared<const Stmt>(std::move(copy)));
  return true;
}

// for (i = place; i < n; i += step), where i moves by a constant from lane to lane.
bool RowVectoriser::stride_loop(const Stmt& stmt, const Active& active, Stmts& out) {
  if (!stmt.init || stmt.init->kind != Stmt::Kind::declare || !stmt.init->value || !stmt.value || !stmt.step)
    return false;
  const VariableRef& counter = stmt.init->variable;
  if (ir::any_stmt(stmt.body, [](const Stmt& s) { return s.kind == Stmt::Kind::leave || s.kind == Stmt::Kind::next; }))
    return false;
  if (ir::is_written(stmt.body, counter) || stmt.value->kind != Expr::Kind::binary || stmt.value->op != Op::less)
    return false;
  const LaneValue start = value(stmt.init->value, active, out);
  if (start.kind != Kind::affine) return false;
  const auto step = fixed(start.step);
  if (!step || *step < 1) return false;
  const ExprRef& taken = stmt.step;
  ExprRef stride;
  if (taken->kind == Expr::Kind::assign && taken->op == Op::add) stride = taken->args[1];
  if (taken->kind == Expr::Kind::unary && (taken->op == Op::pre_increment || taken->op == Op::post_increment))
    stride = ir::integer(1);
  if (!stride || varies(stride) || varies(stmt.value->args[1])) return false;
  const LaneValue by = value(stride, active, out);
  if (by.kind != Kind::uniform) return false;
  const auto first = ir::make_variable(names_.fresh(counter->name + "_first"), ir::with_constant(counter->type, false));
  Binding binding;
  binding.kind = Binding::Kind::affine;
  const auto bindings = bindings_;
  binding.value = affine_value(ir::use(first), start.step, counter->type);
  bindings_[counter] = binding;
  Stmt made;
  made.kind = Stmt::Kind::for_loop;
  made.line = stmt.line;
  made.init = ir::declare(first, start.scalar);
  // As long as the first lane is inside; the others come behind it.
  Stmts before;
  const LaneValue left = value(stmt.value->args[0], active, before), right = value(stmt.value->args[1], active, before);
  if (left.kind != Kind::affine || right.kind != Kind::uniform || !before.empty()) {
    bindings_ = bindings;
    return false;
  }
  ExprRef lead = left.scalar;
  if (active.first) lead = folded(Op::add, lead, folded(Op::multiply, active.first, left.step));
  made.value = ir::binary(Op::less, lead, right.scalar);
  made.step = ir::assign(ir::use(first), by.scalar, Op::add);
  Active inner = active;
  ExprRef test;
  const bool narrowed = narrow(*stmt.value, inner, made.body, test);
  if (!narrowed) {
    bindings_ = bindings;
    return false;
  }
  list(stmt.body, inner, made.body);
  bindings_ = bindings;
  out.push_back(std::make_shared<const Stmt>(std::move(made)));
  return true;
}

}  // namespace tqm::port::emit
