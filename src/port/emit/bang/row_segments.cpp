// Division and remainder of an index by what is the same in all threads: x / 64, x % 64, x >> 6, x & 63, x / width.
//
// Lanes are cut into segments that end where x reaches a multiple of the divisor. Inside of one, x / 64 is the same in
// all lanes and x % 64 moves by one, so that rows of a matrix, channels and pixels come out as plain vectors again.
// With several divisors, segments are as long as their greatest common divisor.
#include <algorithm>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::Stmts;

namespace {

constexpr std::int64_t kLeastSegment = 4;  // lanes: below, a loop over lanes is as good
constexpr std::int64_t kUnknownSegment = 64;
constexpr std::int64_t kLongest = 0x7fffffff;

}  // namespace

void RowVectoriser::find_segments(const Stmts& body) {
  divisions_.emplace(body, constants_);
  segment_ = divisions_->common();
  if (segment_ && segment_->factors.empty() && segment_->number < kLeastSegment) segment_.reset();
}

// What a vector call is taken to handle where lanes are cut.
std::int64_t RowVectoriser::segment_lanes() const {
  return segment_->factors.empty() ? segment_->number : kUnknownSegment;
}

// while (segment < end) the body for the lanes of one segment; then the next.
Stmts RowVectoriser::segmented(const Stmts& body, const ExprRef& place_first, const ExprRef& count) {
  const ir::TypeRef type = ir::uint_type();
  const auto segment = ir::make_variable(names_.fresh("segment"), type);
  const auto length = ir::make_variable(names_.fresh("segment_count"), ir::with_constant(ir::int_type(), true));
  const auto stop = ir::make_variable(names_.fresh("segment_end"), ir::with_constant(type, true));
  const ExprRef begin = place_first ? place_first : ir::integer(0, type);
  const ExprRef end = folded(Op::add, begin, ir::cast(type, count));
  Stmts out;
  ExprRef by = ir::integer(segment_->number, type);
  if (!segment_->factors.empty()) {
    // A divisor that is no length leaves lanes alone, one by one.
    const ExprRef wide = ir::cast(ir::scalar_type(ir::Scalar::i64), product_of(*segment_));
    const ExprRef fits = ir::binary(Op::logical_and, ir::binary(Op::greater, wide, ir::integer(0)),
                                    ir::binary(Op::less, wide, ir::integer(kLongest)));
    const auto size = ir::make_variable(names_.fresh("segment_length"), ir::with_constant(type, true));
    out.push_back(ir::declare(size, ir::conditional(fits, ir::cast(type, wide), ir::integer(1, type))));
    by = ir::use(size);
  }
  const ExprRef next = ir::binary(
      Op::multiply, ir::binary(Op::add, ir::binary(Op::divide, ir::use(segment), by), ir::integer(1, type)), by);
  if (place_first)
    place_first_ = ir::use(segment);
  else
    lane_base_ = ir::use(segment);
  out.push_back(ir::declare(segment, begin));
  Stmt loop;
  loop.kind = Stmt::Kind::while_loop;
  loop.value = ir::binary(Op::less, ir::use(segment), end);
  loop.body.push_back(ir::declare(stop, ir::conditional(ir::binary(Op::less, next, end), next, end)));
  loop.body.push_back(
      ir::declare(length, ir::cast(ir::int_type(), ir::binary(Op::subtract, ir::use(stop), ir::use(segment)))));
  list(body, {nullptr, ir::use(length), nullptr}, loop.body);
  loop.body.push_back(ir::evaluate(ir::assign(ir::use(segment), ir::use(stop))));
  out.push_back(std::make_shared<const Stmt>(std::move(loop)));
  return out;
}

// a / b, a % b and the like where a moves by one and b is the same in all lanes; none where they are not known in a
// segment.
LaneValue RowVectoriser::divided(const Expr& expr, const LaneValue& a, const LaneValue& b) const {
  const auto by = divisions_->divisor_of(expr);
  if (!by) return {};
  const bool quotient = IndexDivisions::gives_quotient(expr.op);
  if (by->is_one()) {
    if (quotient) return a;
    return uniform_value(ir::integer(0, expr.type));
  }
  if (!segment_ || !a.aligned || b.kind != LaneValue::Kind::uniform || !divides(*segment_, *by)) return {};
  const ExprRef first = ir::binary(expr.op, ir::cast(expr.args[0]->type, a.scalar), b.scalar);
  if (quotient) return uniform_value(first);
  LaneValue rest = affine_value(first, ir::integer(1), expr.type);
  rest.aligned = true;
  return rest;
}

}  // namespace tqm::port::emit
