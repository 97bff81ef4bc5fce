// Conditions: a range of lanes where they ask for an index, a mask where they ask for data.
#include <utility>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/without_returns.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::Stmts;
using Kind = LaneValue::Kind;

bool RowVectoriser::branch(const Stmt& stmt, const Active& active, Stmts& out) {
  if (ir::has_effects(stmt.value)) return false;
  if (!varies(stmt.value)) {
    const LaneValue test = value(stmt.value, active, out);
    if (test.kind != Kind::uniform) return false;
    Stmts yes, no;
    const auto bindings = bindings_;
    list(stmt.body, active, yes);
    bindings_ = bindings;
    list(stmt.other, active, no);
    bindings_ = bindings;
    out.push_back(ir::branch(test.scalar, std::move(yes), std::move(no)));
    return true;
  }
  const auto exits = [](const Stmts& stmts) {
    return ir::any_stmt(stmts, [](const Stmt& s) {
      return s.kind == Stmt::Kind::leave || s.kind == Stmt::Kind::next || s.kind == Stmt::Kind::give_back;
    });
  };
  if (exits(stmt.body) || exits(stmt.other)) return false;
  const auto bindings = bindings_;
  if (!stmt.other.empty() && masked_branch(stmt, active, out)) return true;
  bindings_ = bindings;
  const bool yes = where(stmt.value, active, out, [&](const Active& inner, Stmts& made) {
    list(stmt.body, inner, made);
    return true;
  });
  bindings_ = bindings;
  if (!yes) return false;
  if (stmt.other.empty()) return true;
  // The condition is looked at twice: nothing in the first branch may change it.
  bool changed = false;
  const auto written = ir::written(stmt.body);
  for (const auto& variable : written) changed = changed || ir::uses(stmt.value, variable);
  const bool reads = ir::any_expr(stmt.value, [](const Expr& e) {
    return e.kind == Expr::Kind::subscript || (e.kind == Expr::Kind::unary && e.op == Op::dereference);
  });
  const bool stores = ir::any_expr(
      stmt.body, [](const Expr& e) { return e.kind == Expr::Kind::assign && e.args[0]->kind != Expr::Kind::variable; });
  if (changed || (reads && stores)) return false;
  const bool no = where(passes::negated(stmt.value), active, out, [&](const Active& inner, Stmts& made) {
    list(stmt.other, inner, made);
    return true;
  });
  bindings_ = bindings;
  return no;
}

// if and else by one mask and its opposite, both made before either branch changes what the condition read.
bool RowVectoriser::masked_branch(const Stmt& stmt, const Active& active, Stmts& out) {
  Stmts made;
  const LaneValue mask = value(stmt.value, active, made);
  if (mask.kind != Kind::mask) return false;
  const auto held = [&](const LaneValue& given) {
    const ExprRef kept = temporary(ir::float_type());
    if (active.mask)
      call("__bang_and", {at(kept, active), at(active.mask, active), at(given.pointer, active), active.count}, made);
    else
      move(kept, given.pointer, ir::float_type(), active, made);
    return kept;
  };
  Active yes = active, no = active;
  const LaneValue turned = unary_call("__bang_not", mask, active, made);
  yes.mask = held(mask);
  no.mask = held(turned);
  const auto bindings = bindings_;
  list(stmt.body, yes, made);
  bindings_ = bindings;
  list(stmt.other, no, made);
  bindings_ = bindings;
  for (auto& one : made) out.push_back(std::move(one));
  return true;
}

bool RowVectoriser::where(const ExprRef& condition, const Active& active, Stmts& out,
                          const std::function<bool(const Active&, Stmts&)>& body) {
  if (condition->kind == Expr::Kind::binary && condition->op == Op::logical_and)
    return where(condition->args[0], active, out,
                 [&](const Active& inner, Stmts& made) { return where(condition->args[1], inner, made, body); });
  if (!varies(condition)) {
    const LaneValue test = value(condition, active, out);
    if (test.kind != Kind::uniform) return false;
    Stmts inner;
    if (!body(active, inner)) return false;
    out.push_back(ir::branch(test.scalar, std::move(inner)));
    return true;
  }
  Active inner = active;
  ExprRef test;
  Stmts made;
  if (narrow(*condition, inner, made, test)) {
    Stmts under;
    if (!body(inner, under)) return false;
    for (auto& one : made) out.push_back(std::move(one));
    out.push_back(ir::branch(test, std::move(under)));
    return true;
  }
  const LaneValue mask = value(condition, active, made);
  if (mask.kind == Kind::uniform) {  // the same in all lanes of a segment
    Stmts under;
    if (!body(active, under)) return false;
    for (auto& one : made) out.push_back(std::move(one));
    out.push_back(ir::branch(mask.scalar, std::move(under)));
    return true;
  }
  if (mask.kind != Kind::mask) return false;
  inner = active;
  inner.mask = mask.pointer;
  if (active.mask) {
    const ExprRef both = temporary(ir::float_type());
    call("__bang_and", {at(both, active), at(active.mask, active), at(mask.pointer, active), active.count}, made);
    inner.mask = both;
  }
  Stmts under;
  if (!body(inner, under)) return false;
  for (auto& one : made) out.push_back(std::move(one));
  for (auto& one : under) out.push_back(std::move(one));
  return true;
}

bool RowVectoriser::narrow(const Expr& comparison, Active& active, Stmts& out, ExprRef& test) {
  if (comparison.kind != Expr::Kind::binary || comparison.op < Op::less || comparison.op > Op::equal) return false;
  LaneValue left = value(comparison.args[0], active, out), right = value(comparison.args[1], active, out);
  Op op = comparison.op;
  if (left.kind == Kind::uniform && right.kind == Kind::affine) {
    std::swap(left, right);
    if (op == Op::less)
      op = Op::greater;
    else if (op == Op::greater)
      op = Op::less;
    else if (op == Op::less_equal)
      op = Op::greater_equal;
    else if (op == Op::greater_equal)
      op = Op::less_equal;
  }
  if (left.kind != Kind::affine || right.kind != Kind::uniform || !ir::is_integer(left.type)) return false;
  const auto step = fixed(left.step);
  if (!step || *step < 1 || (*step > 1 && op != Op::less)) return false;
  const auto wide = ir::scalar_type(ir::Scalar::i64);
  // Below zero, an unsigned index is huge.
  const auto compared_as = ir::common_type(comparison.args[0]->type, comparison.args[1]->type);
  const bool wraps = !ir::is_signed_integer(compared_as) && !never_negative(left.scalar);
  if (wraps && op != Op::less && op != Op::less_equal && op != Op::equal) return false;
  const ExprRef distance = ir::binary(Op::subtract, ir::cast(wide, right.scalar), ir::cast(wide, left.scalar));
  const ExprRef zero = active.first ? active.first : ir::integer(0);
  const ExprRef end = folded(Op::add, active.count, zero);
  const auto limit = [&](const char* name, const ExprRef& a, const ExprRef& b) {
    return ir::cast(ir::int_type(), ir::intrinsic(name, wide, {ir::cast(wide, a), ir::cast(wide, b)}));
  };
  const ExprRef one = ir::integer(1, wide);
  ExprRef low, high;
  switch (op) {
    case Op::less:
      high = *step == 1 ? distance
                        : ir::binary(Op::divide, ir::binary(Op::add, distance, ir::integer(*step - 1, wide)),
                                     ir::integer(*step, wide));
      break;
    case Op::less_equal:
      high = ir::binary(Op::add, distance, one);
      break;
    case Op::greater:
      low = ir::binary(Op::add, distance, one);
      break;
    case Op::greater_equal:
      low = distance;
      break;
    default:
      low = distance;
      high = ir::binary(Op::add, distance, one);
      break;
  }
  if (wraps && !low) low = ir::unary(Op::negate, ir::cast(wide, left.scalar));
  if (low) {
    const auto from = ir::make_variable(names_.fresh("first"), ir::with_constant(ir::int_type(), true));
    out.push_back(ir::declare(from, limit("max", low, zero)));
    active.first = ir::use(from);
  }
  const auto count = ir::make_variable(names_.fresh("count"), ir::with_constant(ir::int_type(), true));
  const ExprRef stop = high ? limit("min", high, end) : end;
  out.push_back(ir::declare(count, active.first ? folded(Op::subtract, stop, active.first) : stop));
  active.count = ir::use(count);
  test = ir::binary(Op::greater, active.count, ir::integer(0));
  return true;
}

}  // namespace tqm::port::emit
