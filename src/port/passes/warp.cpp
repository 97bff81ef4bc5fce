#include "port/passes/warp.hpp"

#include <limits>
#include <utility>

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Index;
using ir::Op;
using ir::Stmt;
using ir::Stmts;

namespace {

ExprRef thread() {
  return ir::cast(ir::int_type(), ir::index(Index::thread_linear));
}
ExprRef threads() {
  return ir::cast(ir::int_type(), ir::index(Index::threads));
}
ExprRef both(Op op, ExprRef a, ExprRef b) {
  return ir::binary(op, std::move(a), std::move(b));
}
ExprRef lane() {
  return both(Op::bit_and, thread(), ir::integer(31));
}

bool whole_warp(const ExprRef& width) {
  return (width->kind == Expr::Kind::index && width->index == Index::warp_size) ||
         (width->kind == Expr::Kind::integer && width->value == 32);
}

ExprRef as_int(const ExprRef& expr) {
  return ir::cast(ir::int_type(), expr);
}

// The value that changes nothing.
ExprRef neutral(const std::string& name, const ir::TypeRef& type) {
  const bool is_signed = ir::is_signed_integer(type);
  const auto bits = static_cast<unsigned>(ir::size_of(type) * 8);
  if (name == "warp_min" || name == "warp_max") {
    const bool low = name == "warp_max";
    if (!is_signed) return ir::integer(low ? 0 : static_cast<std::int64_t>(0xffffffffu), type);
    const std::int64_t top =
        bits >= 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (bits - 1)) - 1;
    return ir::integer(low ? -top - 1 : top, type);
  }
  if (name == "warp_and" || name == "vote_all") return ir::integer(name == "vote_all" ? 1 : -1, type);
  if (ir::is_floating(type)) return ir::real(0, type);
  return ir::integer(0, type);
}

}  // namespace

ir::StmtRef for_warp_leaders(ExprRef evaluated) {
  const ExprRef lane = both(Op::remainder, ir::index(Index::thread_linear), ir::index(Index::warp_size));
  return ir::branch(both(Op::equal, lane, ir::integer(0, ir::uint_type())), {ir::evaluate(std::move(evaluated))});
}

bool is_for_warp_leaders(const Stmt& stmt) {
  if (stmt.kind != Stmt::Kind::branch || !stmt.other.empty()) return false;
  const Expr& test = *stmt.value;
  if (test.kind != Expr::Kind::binary || test.op != Op::equal || test.args[1]->kind != Expr::Kind::integer)
    return false;
  const Expr& lane = *test.args[0];
  return test.args[1]->value == 0 && lane.kind == Expr::Kind::binary && lane.op == Op::remainder &&
         lane.args[0]->kind == Expr::Kind::index && lane.args[0]->index == Index::thread_linear &&
         lane.args[1]->kind == Expr::Kind::index && lane.args[1]->index == Index::warp_size;
}

WarpParts warp_parts(const Expr& operation, bool masked, ir::Names& names) {
  WarpParts parts;
  const std::string& name = operation.name;
  const bool shuffle = name.starts_with("shuffle");
  const bool vote = name == "ballot" || name == "vote_any" || name == "vote_all" || name == "active_mask";
  ir::TypeRef type = operation.args.empty() ? ir::int_type() : ir::with_constant(operation.args[0]->type, false);
  if (vote) type = ir::int_type();
  if (!shuffle && !vote && name != "match_any" && !name.starts_with("warp_")) return parts;
  if (!shuffle && !ir::is_scalar(type)) return parts;
  parts.known = true;
  const auto offered = ir::make_variable(names.fresh("lane_value"), type);
  ExprRef value = operation.args.empty() ? ir::integer(1) : operation.args[0];
  if (vote && !operation.args.empty())
    value = ir::cast(ir::int_type(), both(Op::not_equal, operation.args[0], ir::integer(0)));
  parts.offer.push_back(ir::evaluate(ir::assign(ir::use(offered), value)));
  if (masked && ir::is_scalar(type)) parts.clear = ir::evaluate(ir::assign(ir::use(offered), neutral(name, type)));

  if (shuffle) {
    const ExprRef& width = operation.args[2];
    const bool whole = whole_warp(width);
    const ExprRef own = ir::thread_element(offered, thread());
    const ExprRef segment_lane =
        whole ? lane() : both(Op::bit_and, thread(), both(Op::subtract, as_int(width), ir::integer(1)));
    const auto amount = ir::make_variable(names.fresh("source"), ir::int_type());
    ExprRef source, inside;
    if (name == "shuffle") {
      const ExprRef wanted = both(Op::bit_and, as_int(operation.args[1]),
                                  whole ? ir::integer(31) : both(Op::subtract, as_int(width), ir::integer(1)));
      source = both(Op::add, both(Op::subtract, thread(), segment_lane), wanted);
      inside = both(Op::less, ir::use(amount), threads());
    } else if (name == "shuffle_up") {
      source = both(Op::subtract, thread(), as_int(operation.args[1]));
      inside = both(Op::greater_equal, ir::use(amount), both(Op::subtract, thread(), segment_lane));
    } else if (name == "shuffle_down") {
      source = both(Op::add, thread(), as_int(operation.args[1]));
      const ExprRef end =
          both(Op::add, both(Op::subtract, thread(), segment_lane), whole ? ir::integer(32) : as_int(width));
      inside = both(Op::logical_and, both(Op::less, ir::use(amount), end), both(Op::less, ir::use(amount), threads()));
    } else {
      source = both(Op::bit_xor, thread(), as_int(operation.args[1]));
      inside = both(Op::less, ir::use(amount), threads());
      const ExprRef warp_end = both(Op::add, both(Op::subtract, thread(), lane()), ir::integer(32));
      const ExprRef end = whole ? warp_end : both(Op::add, both(Op::subtract, thread(), segment_lane), as_int(width));
      inside = both(Op::logical_and, both(Op::less, ir::use(amount), end), inside);
    }
    parts.pick.push_back(ir::declare(amount, source));
    parts.result = ir::conditional(inside, ir::thread_element(offered, ir::use(amount)), own);
    return parts;
  }

  // The rest looks at all threads of the warp in turn.
  const auto result = ir::make_variable(names.fresh("combined"), ir::with_constant(operation.type, false));
  const auto other = ir::make_variable(names.fresh("other"), ir::int_type());
  const ExprRef first = both(Op::subtract, thread(), lane());
  const ExprRef theirs = ir::thread_element(offered, ir::use(other));
  ExprRef start = neutral(name, operation.type);
  if (name == "vote_any") start = ir::integer(0, operation.type);
  parts.pick.push_back(ir::declare(result, start));
  Stmts step;
  const ExprRef mine = ir::use(result);
  const auto bit = [&] {
    return ir::binary(Op::shift_left, ir::integer(1, ir::uint_type()), both(Op::subtract, ir::use(other), first));
  };
  if (name == "ballot" || name == "active_mask")
    step.push_back(
        ir::branch(both(Op::not_equal, theirs, ir::integer(0)), {ir::evaluate(ir::assign(mine, bit(), Op::bit_or))}));
  else if (name == "match_any")
    step.push_back(ir::branch(both(Op::equal, theirs, ir::thread_element(offered, thread())),
                              {ir::evaluate(ir::assign(mine, bit(), Op::bit_or))}));
  else if (name == "vote_any" || name == "warp_or")
    step.push_back(ir::evaluate(ir::assign(mine, theirs, Op::bit_or)));
  else if (name == "vote_all" || name == "warp_and")
    step.push_back(ir::evaluate(ir::assign(mine, theirs, Op::bit_and)));
  else if (name == "warp_xor")
    step.push_back(ir::evaluate(ir::assign(mine, theirs, Op::bit_xor)));
  else if (name == "warp_sum")
    step.push_back(ir::evaluate(ir::assign(mine, theirs, Op::add)));
  else if (name == "warp_min" || name == "warp_max")
    step.push_back(ir::evaluate(ir::assign(mine, ir::intrinsic(name.substr(5), operation.type, {mine, theirs}))));
  Stmt loop;
  loop.kind = Stmt::Kind::for_loop;
  loop.init = ir::declare(other, first);
  loop.value = both(Op::logical_and, both(Op::less, ir::use(other), both(Op::add, first, ir::integer(32))),
                    both(Op::less, ir::use(other), threads()));
  loop.step = ir::unary(Op::pre_increment, ir::use(other));
  loop.body = std::move(step);
  parts.pick.push_back(std::make_shared<const Stmt>(std::move(loop)));
  parts.result = ir::use(result);
  return parts;
}

}  // namespace tqm::port::passes
