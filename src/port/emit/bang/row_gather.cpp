// What iterations add up, or the largest or smallest of what they have: all lanes into one number of the thread.
#include <limits>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmts;
using Kind = LaneValue::Kind;

bool RowVectoriser::gather(const Expr& what, const Active& active, Stmts& out) {
  const ExprRef& place = what.args[0];
  const ir::TypeRef type = ir::float_type();
  ExprRef target = place;
  if (place->kind != Expr::Kind::variable) {
    const Address found = address(place, active, out);
    if (!found.known || fixed(found.step) != 0) return false;
    target = found.first;
  }
  const bool sum = what.name == "gather.add";
  const bool largest = what.name == "gather.max" || what.name == "gather.largest";
  const LaneValue given = value(what.args[1], active, out);
  if (given.kind != Kind::vector && given.kind != Kind::uniform) return false;
  // In a vector of its own: the call that follows works in place.
  const ExprRef own = temporary(type);
  if (active.mask) {
    const double infinity = std::numeric_limits<double>::infinity();
    const ExprRef nothing = ir::real(sum ? 0 : largest ? -infinity : infinity);
    in_vector(uniform_value(nothing), type, active, out, own);
    const LaneValue there = in_vector(given, type, active, out);
    if (there.kind != Kind::vector) return false;
    blend(own, there, active.mask, active, out);
  } else {
    const LaneValue there = in_vector(given, type, active, out, given.kind == Kind::uniform ? own : nullptr);
    if (there.kind != Kind::vector) return false;
    if (!ir::same_expr(there.pointer, own)) move(own, there.pointer, type, active, out);
  }
  Expr call;
  call.kind = Expr::Kind::intrinsic;
  call.name = sum ? "bang.sum_of_lanes" : largest ? "bang.largest_of_lanes" : "bang.smallest_of_lanes";
  call.type = type;
  call.value = 256;
  call.args = {at(own, active), active.count};
  const ExprRef total = std::make_shared<const Expr>(std::move(call));
  if (sum) {
    out.push_back(ir::evaluate(ir::assign(target, total, Op::add)));
  } else if (what.name == "gather.max" || what.name == "gather.min") {
    out.push_back(ir::evaluate(ir::assign(target, ir::intrinsic(largest ? "fmax" : "fmin", type, {target, total}))));
  } else {
    const auto found = ir::make_variable(names_.fresh("found"), ir::with_constant(type, true));
    out.push_back(ir::declare(found, total));
    out.push_back(ir::branch(ir::binary(largest ? Op::greater : Op::less, ir::use(found), target),
                             {ir::evaluate(ir::assign(target, ir::use(found)))}));
  }
  return true;
}

}  // namespace tqm::port::emit
