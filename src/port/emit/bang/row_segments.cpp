// Division and remainder of an index by constants: x / 64, x % 64, x >> 6, x & 63.
//
// Lanes are cut into segments that end where x reaches a multiple of the divisor. Inside of one, x / 64 is the same in
// all lanes and x % 64 moves by one, so that rows of a matrix, channels and pixels come out as plain vectors again.
// With several divisors, segments are as long as their greatest common divisor.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Index;
using ir::Op;
using ir::Stmt;
using ir::Stmts;
using Kind = LaneValue::Kind;

namespace {

constexpr std::int64_t kLeastSegment = 4;  // lanes: below, a loop over lanes is as good

// The divisor that the operation stands for; 0: none.
std::int64_t divisor_of(const Expr& expr, const Constants& constants) {
  if (expr.kind != Expr::Kind::binary || !ir::is_integer(expr.type)) return 0;
  const auto right = constant_of(expr.args[1], constants);
  if (!right || *right < 0) return 0;
  switch (expr.op) {
    case Op::divide:
    case Op::remainder:
      return *right;
    case Op::shift_right:
      return *right < 31 ? std::int64_t{1} << *right : 0;
    case Op::bit_and:
      return (*right & (*right + 1)) == 0 && *right > 0 ? *right + 1 : 0;
    default:
      return 0;
  }
}

bool quotient(Op op) {
  return op == Op::divide || op == Op::shift_right;
}

// Which index expressions move by one from lane to lane, taken that quotients of such do not.
class Movement {
 public:
  Movement(const Stmts& body, const Constants& constants) : body_(body), constants_(constants) {
    for (const auto& variable : ir::written(body)) written_[variable] = true;
    ir::for_each_stmt(body, [&](const Stmt& stmt) {
      if (stmt.kind == Stmt::Kind::declare && stmt.value && ir::is_integer(stmt.variable->type))
        values_[stmt.variable] = stmt.value;
    });
  }

  std::int64_t common_divisor() {
    std::int64_t common = 0;
    const auto see = [&](const ExprRef& given) {
      ir::for_each_expr(given, [&](const Expr& expr) {
        const std::int64_t by = divisor_of(expr, constants_);
        if (by > 1 && moves(expr.args[0])) common = std::gcd(common, by);
      });
    };
    ir::for_each_stmt(body_, [&](const Stmt& stmt) {
      if (stmt.kind == Stmt::Kind::declare && !used(stmt.variable)) return;
      see(stmt.value);
      see(stmt.step);
    });
    return common;
  }

 private:
  bool used(const ir::VariableRef& variable) const {
    return ir::any_expr(body_, [&](const Expr& expr) { return expr.variable == variable; });
  }
  bool moves(const ExprRef& expr) {
    if (expr->kind == Expr::Kind::index)
      return expr->index == Index::thread_x || expr->index == Index::place_x || expr->index == Index::thread_linear;
    if (expr->kind == Expr::Kind::variable) {
      const auto value = values_.find(expr->variable);
      return value != values_.end() && !written_.contains(expr->variable) && moves(value->second);
    }
    if (expr->kind == Expr::Kind::subscript || expr->kind == Expr::Kind::member) return false;
    if (divisor_of(*expr, constants_) > 1 && quotient(expr->op)) return false;
    return std::any_of(expr->args.begin(), expr->args.end(), [&](const ExprRef& arg) { return moves(arg); });
  }
  const Stmts& body_;
  const Constants& constants_;
  std::map<ir::VariableRef, bool> written_;
  std::map<ir::VariableRef, ExprRef> values_;
};

}  // namespace

std::int64_t RowVectoriser::segment_of(const Stmts& body) const {
  const std::int64_t length = Movement(body, constants_).common_divisor();
  return length >= kLeastSegment ? length : 0;
}

// while (segment < end) the body for the lanes of one segment; then the next.
Stmts RowVectoriser::segmented(const Stmts& body, const ExprRef& place_first, const ExprRef& count) {
  const ir::TypeRef type = ir::uint_type();
  const auto segment = ir::make_variable(names_.fresh("segment"), type);
  const auto length = ir::make_variable(names_.fresh("segment_count"), ir::with_constant(ir::int_type(), true));
  const auto size = ir::make_variable(names_.fresh("segment_end"), ir::with_constant(type, true));
  const ExprRef begin = place_first ? place_first : ir::integer(0, type);
  const ExprRef end = folded(Op::add, begin, ir::cast(type, count)), by = ir::integer(segment_, type);
  const ExprRef next = ir::binary(
      Op::multiply, ir::binary(Op::add, ir::binary(Op::divide, ir::use(segment), by), ir::integer(1, type)), by);
  if (place_first)
    place_first_ = ir::use(segment);
  else
    lane_base_ = ir::use(segment);
  Stmts out{ir::declare(segment, begin)};
  Stmt loop;
  loop.kind = Stmt::Kind::while_loop;
  loop.value = ir::binary(Op::less, ir::use(segment), end);
  loop.body.push_back(ir::declare(size, ir::conditional(ir::binary(Op::less, next, end), next, end)));
  loop.body.push_back(
      ir::declare(length, ir::cast(ir::int_type(), ir::binary(Op::subtract, ir::use(size), ir::use(segment)))));
  list(body, {nullptr, ir::use(length), nullptr}, loop.body);
  loop.body.push_back(ir::evaluate(ir::assign(ir::use(segment), ir::use(size))));
  out.push_back(std::make_shared<const Stmt>(std::move(loop)));
  return out;
}

// a / b, a % b and the like where b is a constant and a moves by one; none where they are not known in a segment.
LaneValue RowVectoriser::divided(const Expr& expr, const LaneValue& a) const {
  const std::int64_t by = divisor_of(expr, constants_);
  if (by == 0) return {};
  if (by == 1) {
    if (quotient(expr.op)) return a;
    return uniform_value(ir::integer(0, expr.type));
  }
  if (segment_ == 0 || !a.aligned || by % segment_ != 0) return {};
  const ExprRef first = ir::binary(expr.op, ir::cast(expr.args[0]->type, a.scalar), expr.args[1]);
  if (quotient(expr.op)) return uniform_value(first);
  LaneValue rest = affine_value(first, ir::integer(1), expr.type);
  rest.aligned = true;
  return rest;
}

}  // namespace tqm::port::emit
