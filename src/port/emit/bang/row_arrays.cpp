// An array of each thread: element after element, a row of lanes each. name[i] of one thread becomes name[i][lane], so
// that an element with a uniform index is a vector.
#include <utility>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmts;
using ir::Storage;
using ir::VariableRef;
using Kind = LaneValue::Kind;

namespace {

constexpr std::int64_t kMostElements = 512;  // of one array of a thread

struct Shape {
  ir::TypeRef element;
  std::int64_t count = 1;
};

Shape shape_of(ir::TypeRef type) {
  Shape shape;
  while (ir::is_array(type)) {
    shape.count *= type->count;
    type = type->element;
  }
  shape.element = ir::with_constant(type, false);
  return shape;
}

}  // namespace

bool RowVectoriser::declare_array(const ir::Stmt& stmt, const Active& active, Stmts& out) {
  const VariableRef& variable = stmt.variable;
  const Shape shape = shape_of(variable->type);
  const bool plain = ir::is_scalar(shape.element) && shape.element->scalar != ir::Scalar::boolean;
  if (!plain || shape.count < 1 || shape.count > kMostElements) return false;
  if (stmt.value && (stmt.value->kind != Expr::Kind::aggregate || ir::is_array(variable->type->element))) return false;
  Binding binding;
  binding.kind = Binding::Kind::rows;
  binding.lanes = ir::make_variable(names_.fresh(variable->name + "_lanes"),
                                    ir::array_of(ir::array_of(shape.element, 1), shape.count), Storage::shared);
  lanes_.push_back(binding.lanes);
  bindings_[variable] = binding;
  if (!stmt.value) return true;
  for (std::int64_t i = 0; i < shape.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    ExprRef given = at < stmt.value->args.size() ? stmt.value->args[at] : nullptr;
    if (!given) given = ir::is_floating(shape.element) ? ir::real(0, shape.element) : ir::integer(0, shape.element);
    const ExprRef place = ir::subscript(ir::use(variable), ir::integer(i));
    statement(ir::evaluate(ir::assign(place, given)), active, out);
  }
  return true;
}

// The row of lanes that an element of such an array is; none: not one, or its index differs among the lanes.
ExprRef RowVectoriser::array_row(const ExprRef& place, const Active& active, Stmts& out) {
  const auto found = array_element(place);
  if (!found || varies(found->second)) return nullptr;
  const LaneValue position = value(found->second, active, out);
  if (position.kind != Kind::uniform) return nullptr;
  return ir::subscript(ir::use(bindings_.at(found->first).lanes), position.scalar);
}

std::optional<std::pair<VariableRef, ExprRef>> RowVectoriser::array_element(const ExprRef& place) const {
  if (place->kind != Expr::Kind::subscript || ir::is_array(place->type)) return std::nullopt;
  ExprRef at = place, position;
  std::int64_t stride = 1;
  while (at->kind == Expr::Kind::subscript && ir::is_array(at->args[0]->type)) {
    const ExprRef step = folded(Op::multiply, at->args[1], ir::integer(stride));
    position = position ? folded(Op::add, step, position) : step;
    stride *= at->args[0]->type->count;
    at = at->args[0];
  }
  if (at->kind != Expr::Kind::variable || !position) return std::nullopt;
  const auto bound = bindings_.find(at->variable);
  if (bound == bindings_.end() || bound->second.kind != Binding::Kind::rows) return std::nullopt;
  return std::pair{at->variable, position};
}

}  // namespace tqm::port::emit
