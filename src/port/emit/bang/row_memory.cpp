// What lanes read and write: where lane 0 lies, and how far it is to the next.

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmts;
using ir::Storage;
using Kind = LaneValue::Kind;

namespace {

bool is_short(const ir::TypeRef& type) {
  return ir::is_scalar(type) && (type->scalar == ir::Scalar::f16 || type->scalar == ir::Scalar::bf16);
}
// What is only moved may be an integer, too.
bool is_moved(const ir::TypeRef& type) {
  return ir::is_integer(type) && type->scalar != ir::Scalar::boolean && ir::size_of(type) <= 4;
}
bool is_float(const ir::TypeRef& type) {
  return ir::is_scalar(type) && type->scalar == ir::Scalar::f32;
}

}  // namespace

RowVectoriser::Address RowVectoriser::address(const ExprRef& place, const Active& active, Stmts& out) {
  switch (place->kind) {
    case Expr::Kind::variable:
      if (bindings_.contains(place->variable) || place->variable->storage == Storage::thread_array || varies(place))
        return {};
      return {true, place, ir::integer(0)};
    case Expr::Kind::subscript: {
      const LaneValue position = value(place->args[1], active, out);
      if (position.kind != Kind::uniform && position.kind != Kind::affine) return {};
      const ExprRef size = ir::integer(ir::size_of(place->type));
      const ExprRef moves = position.kind == Kind::affine ? folded(Op::multiply, position.step, size) : ir::integer(0);
      if (ir::is_array(place->args[0]->type)) {
        const Address base = address(place->args[0], active, out);
        if (!base.known) return {};
        return {true, ir::subscript(base.first, position.scalar), folded(Op::add, base.step, moves)};
      }
      const LaneValue pointer = value(place->args[0], active, out);
      if (pointer.kind == Kind::uniform) return {true, ir::subscript(pointer.scalar, position.scalar), moves};
      if (pointer.kind != Kind::affine) return {};
      return {true, ir::subscript(pointer.scalar, position.scalar),
              folded(Op::add, folded(Op::multiply, pointer.step, size), moves)};
    }
    case Expr::Kind::unary: {
      if (place->op != Op::dereference) return {};
      const LaneValue pointer = value(place->args[0], active, out);
      if (pointer.kind == Kind::uniform) return {true, ir::unary(Op::dereference, pointer.scalar), ir::integer(0)};
      if (pointer.kind != Kind::affine) return {};
      return {true, ir::unary(Op::dereference, pointer.scalar),
              folded(Op::multiply, pointer.step, ir::integer(ir::size_of(place->type)))};
    }
    case Expr::Kind::member: {
      const Address base = address(place->args[0], active, out);
      if (!base.known) return {};
      return {true, ir::copy_with_args(place, {base.first}), base.step};
    }
    default:
      return {};
  }
}

LaneValue RowVectoriser::load(const ExprRef& place, const Active& active, Stmts& out, const ExprRef& into) {
  const Address from = address(place, active, out);
  if (!from.known) return {};
  const auto step = fixed(from.step);
  if (step && *step == 0) return uniform_value(from.first);
  const ir::TypeRef type = ir::with_constant(place->type, false);
  if (!is_float(type) && !is_short(type) && !is_moved(type)) return {};
  if (step && *step < 0) return {};
  const Space space = spaces_.of_place(place);
  if (space != Space::global && space != Space::on_chip) return {};
  const ExprRef start = ir::unary(Op::address, from.first);
  const std::int64_t size = ir::size_of(type);
  if (space == Space::on_chip && step && *step == size) return vector_value(start, type);
  const ExprRef held = into ? into : temporary(type);
  const auto direction = ir::use(
      ir::make_variable(space == Space::global ? "GDRAM2NRAM" : "NRAM2NRAM", ir::int_type(), Storage::parameter));
  if (step && *step == size) {
    call("__memcpy",
         {at(held, active), at(start, active), folded(Op::multiply, active.count, ir::integer(size)), direction}, out);
    return vector_value(held, type);
  }
  ExprRef first = start;
  if (active.first)
    first = ir::cast(start->type, ir::binary(Op::add, ir::cast(ir::pointer_to(ir::scalar_type(ir::Scalar::i8)), start),
                                             folded(Op::multiply, active.first, from.step)));
  call("__memcpy",
       {at(held, active), first, ir::integer(size), direction, ir::integer(size), ir::cast(ir::int_type(), from.step),
        folded(Op::subtract, active.count, ir::integer(1))},
       out);
  return vector_value(held, type);
}

bool RowVectoriser::store(const ExprRef& place, const ExprRef& given, const Active& active, Stmts& out) {
  if (!ir::is_scalar(place->type) || ir::size_of(place->type) > 4) return false;
  const ir::TypeRef type = ir::with_constant(place->type, false);
  const Address to = address(place, active, out);
  if (!to.known) return false;
  const auto step = fixed(to.step);
  if (step && *step == 0) {  // all lanes write one value to one place
    const LaneValue same = value(given, active, out);
    if (same.kind != Kind::uniform || active.mask) return false;
    out.push_back(ir::evaluate(ir::assign(to.first, same.scalar)));
    return true;
  }
  if (step && *step < 0) return false;
  const Space space = spaces_.of_place(place);
  if (space != Space::global && space != Space::on_chip) return false;
  const bool contiguous = step && *step == ir::size_of(type);
  LaneValue result = value(given, active, out);
  if (result.kind != Kind::uniform && result.kind != Kind::vector) return false;
  const ExprRef start = ir::unary(Op::address, to.first);
  if (active.mask) {
    if (!contiguous || type->scalar != ir::Scalar::f32) return false;
    result = in_vector(result, type, active, out);
    if (result.kind != Kind::vector) return false;
    if (space == Space::on_chip) {
      blend(start, result, active.mask, active, out);
      return true;
    }
    // Elements that the mask leaves out are written back as they were: right only where each is its own lane's.
    if (!merged_) return false;
    const LaneValue old = load(place, active, out);
    if (old.kind != Kind::vector) return false;
    const ExprRef mixed = temporary(type);
    move(mixed, old.pointer, type, active, out);
    blend(mixed, result, active.mask, active, out);
    result = vector_value(mixed, type);
  }
  if (space == Space::on_chip && result.kind == Kind::uniform && contiguous) {
    call("__bang_write_value", {at(start, active), active.count, ir::cast(type, result.scalar)}, out);
    return true;
  }
  result = in_vector(result, type, active, out);
  if (result.kind != Kind::vector) return false;
  const char* way = space == Space::global ? "NRAM2GDRAM" : "NRAM2NRAM";
  const ExprRef size = ir::integer(ir::size_of(type));
  if (contiguous && space == Space::on_chip) {
    move(start, result.pointer, type, active, out);
    return true;
  }
  const auto direction = ir::use(ir::make_variable(way, ir::int_type(), Storage::parameter));
  if (contiguous) {
    call("__memcpy",
         {at(start, active), at(result.pointer, active), folded(Op::multiply, active.count, size), direction}, out);
    return true;
  }
  ExprRef first = start;
  if (active.first) {
    const ExprRef moved = ir::binary(Op::add, ir::cast(ir::pointer_to(ir::scalar_type(ir::Scalar::i8)), start),
                                     folded(Op::multiply, active.first, to.step));
    first = ir::cast(start->type, moved);
  }
  call("__memcpy",
       {first, at(result.pointer, active), size, direction, ir::cast(ir::int_type(), to.step), size,
        folded(Op::subtract, active.count, ir::integer(1))},
       out);
  return true;
}

}  // namespace tqm::port::emit
