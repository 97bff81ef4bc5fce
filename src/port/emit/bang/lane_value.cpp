#include "port/emit/bang/lane_value.hpp"

#include <algorithm>
#include <cstdlib>

#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;

namespace {

constexpr std::int64_t kLargest = 0x7fffffff;

}  // namespace

std::optional<std::int64_t> constant_of(const ExprRef& expr) {
  static const Constants none;
  return constant_of(expr, none);
}

std::optional<std::int64_t> constant_of(const ExprRef& expr, const Constants& constants) {
  if (!expr || !expr->type || !ir::is_integer(expr->type)) return std::nullopt;
  switch (expr->kind) {
    case Expr::Kind::integer:
      return expr->value;
    case Expr::Kind::cast:
      return constant_of(expr->args[0], constants);
    case Expr::Kind::variable: {
      const auto found = constants.find(expr->variable);
      return found == constants.end() ? std::nullopt : std::optional(found->second);
    }
    case Expr::Kind::binary: {
      const auto a = constant_of(expr->args[0], constants), b = constant_of(expr->args[1], constants);
      if (!a || !b) return std::nullopt;
      std::int64_t result = 0;
      switch (expr->op) {
        case Op::add:
          result = *a + *b;
          break;
        case Op::subtract:
          result = *a - *b;
          break;
        case Op::multiply:
          if (*b != 0 && std::abs(*a) > kLargest / std::abs(*b)) return std::nullopt;
          result = *a * *b;
          break;
        case Op::divide:
          if (*b == 0) return std::nullopt;
          result = *a / *b;
          break;
        case Op::remainder:
          if (*b == 0) return std::nullopt;
          result = *a % *b;
          break;
        default:
          return std::nullopt;
      }
      // Within what int holds, so that no type of the expression wraps it.
      if (result < -kLargest || result > kLargest || (result < 0 && !ir::is_signed_integer(expr->type)))
        return std::nullopt;
      return result;
    }
    default:
      return std::nullopt;
  }
}

Constants constants_in(const ir::Stmts& body) {
  Constants found;
  const auto written = ir::written(body);
  ir::for_each_stmt(body, [&](const ir::Stmt& stmt) {
    if (stmt.kind != ir::Stmt::Kind::declare || !stmt.value || !ir::is_integer(stmt.variable->type)) return;
    const auto value = constant_of(stmt.value, found);
    if (value && std::find(written.begin(), written.end(), stmt.variable) == written.end())
      found[stmt.variable] = *value;
  });
  return found;
}

ExprRef folded(Op op, const ExprRef& a, const ExprRef& b) {
  const auto x = constant_of(a), y = constant_of(b);
  const auto type = ir::is_pointer(a->type) || ir::is_array(a->type) ? a->type : ir::common_type(a->type, b->type);
  if (x && y && ir::is_integer(type)) {
    if (op == Op::add) return ir::integer(*x + *y, type);
    if (op == Op::subtract) return ir::integer(*x - *y, type);
    if (op == Op::multiply) return ir::integer(*x * *y, type);
  }
  if (y && *y == 0 && (op == Op::add || op == Op::subtract)) return a;
  if (x && *x == 0 && op == Op::add) return b;
  if (op == Op::multiply && y && *y == 1) return a;
  if (op == Op::multiply && x && *x == 1) return b;
  if (op == Op::multiply && ((x && *x == 0) || (y && *y == 0))) return ir::integer(0, type);
  return ir::binary(op, a, b);
}

bool never_negative(const ExprRef& expr) {
  switch (expr->kind) {
    case Expr::Kind::integer:
      return expr->value >= 0;
    case Expr::Kind::index:
      return true;
    case Expr::Kind::variable:
      return ir::is_integer(expr->type) && !ir::is_signed_integer(expr->type);
    case Expr::Kind::cast:
      return never_negative(expr->args[0]);
    case Expr::Kind::binary:
      return (expr->op == Op::add || expr->op == Op::multiply) && never_negative(expr->args[0]) &&
             never_negative(expr->args[1]);
    default:
      return false;
  }
}

ExprRef counted_as(const ir::TypeRef& type, const ExprRef& first) {
  const auto plain = ir::with_constant(type, false);
  if (ir::is_signed_integer(plain)) {
    // (int)(int64_t)x is (int)x.
    ExprRef inner = first;
    while (inner->kind == Expr::Kind::cast && inner->type->scalar == ir::Scalar::i64 &&
           ir::is_integer(inner->args[0]->type) && ir::size_of(plain) <= ir::size_of(inner->args[0]->type))
      inner = inner->args[0];
    return ir::cast(plain, inner);
  }
  return never_negative(first) ? ir::cast(plain, first) : ir::cast(ir::scalar_type(ir::Scalar::i64), first);
}

LaneValue uniform_value(const ExprRef& scalar) {
  LaneValue value;
  value.kind = LaneValue::Kind::uniform;
  value.scalar = scalar;
  value.type = scalar->type;
  return value;
}

LaneValue affine_value(const ExprRef& first, const ExprRef& step, const ir::TypeRef& type) {
  if (const auto constant = constant_of(step); constant && *constant == 0) return uniform_value(first);
  LaneValue value;
  value.kind = LaneValue::Kind::affine;
  value.scalar = first;
  value.step = step;
  value.type = type;
  return value;
}

LaneValue vector_value(const ExprRef& pointer, const ir::TypeRef& type) {
  LaneValue value;
  value.kind = LaneValue::Kind::vector;
  value.pointer = pointer;
  value.type = ir::with_constant(type, false);
  return value;
}

LaneValue affine_binary(Op op, const LaneValue& a, const LaneValue& b, const ir::TypeRef& type) {
  const bool moves_a = a.kind == LaneValue::Kind::affine, moves_b = b.kind == LaneValue::Kind::affine;
  const ExprRef zero = ir::integer(0);
  const bool wide = ir::is_integer(type) && !ir::is_signed_integer(type) &&
                    (op == Op::subtract || !never_negative(a.scalar) || !never_negative(b.scalar));
  if (wide) {
    LaneValue x = a, y = b;
    const auto signed_type = ir::scalar_type(ir::Scalar::i64);
    x.scalar = ir::cast(signed_type, a.scalar);
    y.scalar = ir::cast(signed_type, b.scalar);
    LaneValue value = affine_binary(op, x, y, signed_type);
    value.type = type;
    return value;
  }
  const ExprRef step_a = moves_a ? a.step : zero, step_b = moves_b ? b.step : zero;
  switch (op) {
    case Op::add:
      return affine_value(folded(Op::add, a.scalar, b.scalar), folded(Op::add, step_a, step_b), type);
    case Op::subtract:
      return affine_value(folded(Op::subtract, a.scalar, b.scalar), folded(Op::subtract, step_a, step_b), type);
    case Op::multiply:
      if (moves_a && moves_b) return {};
      if (moves_a) return affine_value(folded(op, a.scalar, b.scalar), folded(op, step_a, b.scalar), type);
      return affine_value(folded(op, a.scalar, b.scalar), folded(op, a.scalar, step_b), type);
    case Op::shift_left: {
      const auto by = constant_of(b.scalar);
      if (moves_b || !by || *by < 0 || *by > 30) return {};
      const ExprRef factor = ir::integer(std::int64_t{1} << *by);
      return affine_value(folded(Op::multiply, a.scalar, factor), folded(Op::multiply, step_a, factor), type);
    }
    default:
      return {};
  }
}

}  // namespace tqm::port::emit
