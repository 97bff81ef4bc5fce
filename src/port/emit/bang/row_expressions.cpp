#include <algorithm>
#include <utility>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Index;
using ir::Op;
using ir::Stmts;
using ir::Storage;
using Kind = LaneValue::Kind;

namespace {

constexpr std::int64_t kLanes = 256;  // what a vector call is taken to handle where work is counted

bool is_half(const ir::TypeRef& type) {
  return ir::is_scalar(type) && type->scalar == ir::Scalar::f16;
}
bool is_short(const ir::TypeRef& type) {
  return ir::is_scalar(type) && (type->scalar == ir::Scalar::f16 || type->scalar == ir::Scalar::bf16);
}
bool is_float(const ir::TypeRef& type) {
  return ir::is_scalar(type) && type->scalar == ir::Scalar::f32;
}

}  // namespace

// --- vectors ---------------------------------------------------------------------------------------------

ExprRef RowVectoriser::temporary(const ir::TypeRef& type) {
  const ir::TypeRef plain = ir::with_constant(type, false);
  for (auto& held : temporaries_)
    if (!held.used && ir::same_type(held.variable->type->element, plain)) {
      held.used = true;
      return ir::use(held.variable);
    }
  const auto made = ir::make_variable(names_.fresh("work"), ir::array_of(plain, 1), Storage::shared);
  lanes_.push_back(made);
  temporaries_.push_back({made, true});
  return ir::use(made);
}

ExprRef RowVectoriser::at(const ExprRef& pointer, const Active& active) const {
  return active.first ? ir::binary(Op::add, pointer, active.first) : pointer;
}

void RowVectoriser::call(const std::string& name, std::vector<ExprRef> args, Stmts& out) const {
  Expr node;
  node.kind = Expr::Kind::intrinsic;
  node.name = "bang." + name;
  node.type = ir::void_type();
  node.value = segment_ ? std::min(segment_lanes(), kLanes) : std::min(times_.value_or(kLanes), kLanes);
  node.args = std::move(args);
  out.push_back(ir::evaluate(std::make_shared<const Expr>(std::move(node))));
}

LaneValue RowVectoriser::unary_call(const std::string& name, const LaneValue& x, const Active& active, Stmts& out,
                                    const ExprRef& into) {
  const ExprRef result = into ? into : temporary(x.type);
  call(name, {at(result, active), at(x.pointer, active), active.count}, out);
  return vector_value(result, x.type);
}

LaneValue RowVectoriser::binary_call(const std::string& name, const LaneValue& a, const LaneValue& b,
                                     const Active& active, Stmts& out, const ExprRef& into) {
  const ExprRef result = into ? into : temporary(a.type);
  if (name.starts_with("__cn_"))
    call(name, {active.count, at(result, active), at(a.pointer, active), at(b.pointer, active)}, out);
  else
    call(name, {at(result, active), at(a.pointer, active), at(b.pointer, active), active.count}, out);
  return vector_value(result, a.type);
}

LaneValue RowVectoriser::scalar_call(const std::string& name, const LaneValue& a, const ExprRef& b,
                                     const Active& active, Stmts& out, const ExprRef& into) {
  const ExprRef result = into ? into : temporary(a.type);
  call(name, {at(result, active), at(a.pointer, active), ir::cast(a.type, b), active.count}, out);
  return vector_value(result, a.type);
}

void RowVectoriser::move(const ExprRef& to, const ExprRef& from, const ir::TypeRef& type, const Active& active,
                         Stmts& out) {
  const auto direction = ir::use(ir::make_variable("NRAM2NRAM", ir::int_type(), Storage::parameter));
  const ExprRef bytes = folded(Op::multiply, active.count, ir::integer(ir::size_of(type)));
  std::vector<ExprRef> args = {at(to, active), at(from, active), bytes, direction};
  // Without strides, both ends must lie on 64 bytes; one segment with strides may lie anywhere.
  const auto whole = [](const ExprRef& pointer) { return pointer->kind == Expr::Kind::variable; };
  if (active.first || !whole(to) || !whole(from)) args.insert(args.end(), {bytes, bytes, ir::integer(0)});
  call("__memcpy", std::move(args), out);
}

LaneValue RowVectoriser::in_vector(const LaneValue& value, const ir::TypeRef& type, const Active& active, Stmts& out,
                                   const ExprRef& into) {
  if (value.kind == Kind::vector) return ir::same_type(value.type, type) ? value : LaneValue{};
  if (value.kind != Kind::uniform) return {};
  const ExprRef result = into ? into : temporary(type);
  call("__bang_write_value", {at(result, active), active.count, ir::cast(ir::with_constant(type, false), value.scalar)},
       out);
  return vector_value(result, type);
}

// into = mask ? yes : into, bit by bit.
void RowVectoriser::blend(const ExprRef& into, const LaneValue& yes, const ExprRef& mask, const Active& active,
                          Stmts& out) {
  const ExprRef ones = temporary(ir::float_type()), kept = temporary(ir::float_type());
  const auto bits = [&](const ExprRef& pointer) {
    return ir::cast(ir::pointer_to(ir::int_type()), at(pointer, active));
  };
  call("__bang_mul_scalar", {at(ones, active), at(mask, active), ir::real(-1), active.count}, out);
  call("__bang_float2int_tz", {bits(ones), at(ones, active), active.count, ir::integer(0)}, out);  // 0 or all ones
  call("__bang_band", {bits(kept), bits(yes.pointer), bits(ones), active.count}, out);
  call("__bang_bnot", {bits(ones), bits(ones), active.count}, out);
  call("__bang_band", {bits(into), bits(into), bits(ones), active.count}, out);
  call("__bang_bor", {bits(into), bits(into), bits(kept), active.count}, out);
}

// --- expressions -------------------------------------------------------------------------------------------

LaneValue RowVectoriser::index_value(const Expr& expr) const {
  const ExprRef start = lane_base_ ? lane_base_ : ir::integer(0, ir::uint_type());
  const auto aligned = [](const ExprRef& first) {
    LaneValue value = affine_value(first, ir::integer(1), ir::uint_type());
    value.aligned = true;
    return value;
  };
  if (iterations_ && expr.index != Index::place_x) return uniform_value(std::make_shared<const Expr>(expr));
  switch (expr.index) {
    case Index::place_x:
      return aligned(place_first_);
    case Index::thread_x:
      return aligned(start);
    case Index::thread_linear: {
      if (flat_) return aligned(start);
      const ExprRef row =
          ir::binary(Op::add, ir::binary(Op::multiply, ir::index(Index::thread_z), ir::index(Index::block_dim_y)),
                     ir::index(Index::thread_y));
      return affine_value(folded(Op::add, ir::binary(Op::multiply, row, ir::index(Index::block_dim_x)), start),
                          ir::integer(1), ir::uint_type());
    }
    case Index::lane:
      return {};
    default:
      return uniform_value(std::make_shared<const Expr>(expr));
  }
}

LaneValue RowVectoriser::value(const ExprRef& given, const Active& active, Stmts& out, const ExprRef& into) {
  const Expr& expr = *given;
  // A value may be asked for more than once; what it does besides may happen only once.
  if ((expr.kind == Expr::Kind::intrinsic || expr.kind == Expr::Kind::call) && ir::has_effects(given)) return {};
  switch (expr.kind) {
    case Expr::Kind::integer:
    case Expr::Kind::floating:
      return uniform_value(given);
    case Expr::Kind::index:
      return index_value(expr);
    case Expr::Kind::variable: {
      const auto bound = bindings_.find(expr.variable);
      if (bound != bindings_.end()) {
        if (bound->second.kind == Binding::Kind::affine) return bound->second.value;
        if (bound->second.kind == Binding::Kind::rows) return {};
        LaneValue lanes = vector_value(ir::use(bound->second.lanes), bound->second.lanes->type->element);
        if (bound->second.kind == Binding::Kind::flags) lanes.kind = Kind::mask;
        return lanes;
      }
      if (expr.variable->storage == Storage::thread_array && !iterations_) {
        if (!ir::is_scalar(expr.type)) return {};
        const LaneValue linear = index_value(*ir::index(Index::thread_linear));
        const auto plain = std::make_shared<ir::Variable>(*expr.variable);
        plain->storage = Storage::shared;  // named without [thread]
        plain->type = ir::array_of(expr.variable->type, 1);
        const bool row = fixed(linear.scalar).has_value();
        const ExprRef start = row ? ir::use(plain) : ir::binary(Op::add, ir::use(plain), linear.scalar);
        return vector_value(start, expr.variable->type);
      }
      if (std::find(lanes_.begin(), lanes_.end(), expr.variable) != lanes_.end())
        return vector_value(given, expr.variable->type->element);
      if (varies(given)) return {};
      return uniform_value(given);
    }
    case Expr::Kind::thread_element: {
      const LaneValue position = value(expr.args[0], active, out);
      if (position.kind == Kind::uniform) return uniform_value(ir::thread_element(expr.variable, position.scalar));
      const auto step = fixed(position.step);
      if (position.kind != Kind::affine || !step || *step != 1) return {};
      const auto plain = std::make_shared<ir::Variable>(*expr.variable);
      plain->storage = Storage::shared;
      plain->type = ir::array_of(expr.variable->type, 1);
      return vector_value(ir::binary(Op::add, ir::use(plain), position.scalar), expr.variable->type);
    }
    case Expr::Kind::cast:
      return converted(expr, active, out);
    case Expr::Kind::unary:
      switch (expr.op) {
        case Op::dereference:
          return load(given, active, out);
        case Op::address: {
          const Address found = address(expr.args[0], active, out);
          if (!found.known) return {};
          const auto bytes = fixed(found.step);
          const auto size = ir::size_of(expr.args[0]->type);
          if (bytes && *bytes % size == 0)
            return affine_value(ir::unary(Op::address, found.first), ir::integer(*bytes / size), expr.type);
          return {};
        }
        case Op::negate: {
          const LaneValue x = value(expr.args[0], active, out);
          if (x.kind == Kind::uniform) return uniform_value(ir::unary(Op::negate, x.scalar));
          if (x.kind == Kind::vector && ir::is_floating(x.type))
            return scalar_call("__bang_mul_scalar", x, ir::real(-1), active, out, into);
          return {};
        }
        case Op::logical_not: {
          LaneValue x = value(expr.args[0], active, out);
          if (x.kind == Kind::uniform) return uniform_value(ir::unary(Op::logical_not, x.scalar));
          if (x.kind != Kind::mask) return {};
          x = unary_call("__bang_not", x, active, out);
          x.kind = Kind::mask;
          return x;
        }
        case Op::bit_not: {
          const LaneValue x = value(expr.args[0], active, out);
          return x.kind == Kind::uniform ? uniform_value(ir::unary(Op::bit_not, x.scalar)) : LaneValue{};
        }
        default:
          return {};
      }
    case Expr::Kind::binary:
      if (expr.op >= Op::less && expr.op <= Op::logical_or && expr.op != Op::bit_and && expr.op != Op::bit_xor &&
          expr.op != Op::bit_or)
        return compared(expr, active, out);
      return arithmetic(expr, active, out, into);
    case Expr::Kind::conditional:
      return chosen(expr, active, out);
    case Expr::Kind::subscript:
      if (array_element(given)) {
        const ir::TypeRef type = ir::with_constant(expr.type, false);
        const ExprRef row = is_float(type) || is_short(type) ? array_row(given, active, out) : nullptr;
        return row ? vector_value(row, type) : LaneValue{};
      }
      return load(given, active, out, into);
    case Expr::Kind::member:
      return load(given, active, out, into);
    case Expr::Kind::intrinsic:
      return function(expr, active, out, into);
    default:
      return {};
  }
}

LaneValue RowVectoriser::arithmetic(const Expr& expr, const Active& active, Stmts& out, const ExprRef& into) {
  const LaneValue a = value(expr.args[0], active, out), b = value(expr.args[1], active, out);
  if (!a.known() || !b.known() || a.kind == Kind::mask || b.kind == Kind::mask) return {};
  if (a.kind == Kind::uniform && b.kind == Kind::uniform) {
    Expr copy = expr;
    copy.args = {a.scalar, b.scalar};
    return uniform_value(std::make_shared<const Expr>(std::move(copy)));
  }
  if (a.kind != Kind::vector && b.kind != Kind::vector) {
    if (ir::is_floating(expr.type)) return {};
    if (const LaneValue part = divided(expr, a, b); part.known()) return part;
    return affine_binary(expr.op, a, b, expr.type);
  }
  if (a.kind == Kind::affine || b.kind == Kind::affine) return {};
  if (!is_float(expr.type) && !is_short(expr.type)) return {};
  const LaneValue& vector = a.kind == Kind::vector ? a : b;
  if (!ir::same_type(vector.type, expr.type)) return {};
  const bool both = a.kind == Kind::vector && b.kind == Kind::vector;
  if (both && !ir::same_type(a.type, b.type)) return {};
  if (is_half(expr.type) && expr.op != Op::divide) return sum_or_product(expr.op, a, b, active, out, into);
  if (is_float(expr.type)) return sum_or_product(expr.op, a, b, active, out, into);
  // In float, rounded once: of two short floats that is the same as the operation itself.
  const LaneValue x = widened(a, active, out), y = widened(b, active, out);
  return narrowed(sum_or_product(expr.op, x, y, active, out), expr.type, active, out);
}

LaneValue RowVectoriser::widened(const LaneValue& x, const Active& active, Stmts& out) {
  if (x.kind == Kind::uniform) return uniform_value(ir::cast(ir::float_type(), x.scalar));
  if (x.kind != Kind::vector || !is_short(x.type)) return x;
  const ExprRef wide = temporary(ir::float_type());
  call(is_half(x.type) ? "__bang_half2float" : "__bang_bfloat162float",
       {at(wide, active), at(x.pointer, active), active.count}, out);
  return vector_value(wide, ir::float_type());
}

LaneValue RowVectoriser::narrowed(const LaneValue& x, const ir::TypeRef& type, const Active& active, Stmts& out) {
  if (x.kind != Kind::vector) return {};
  const ExprRef small = temporary(type);
  call(is_half(type) ? "__bang_float2half_rn" : "__bang_float2bfloat16_rn",
       {at(small, active), at(x.pointer, active), active.count}, out);
  return vector_value(small, type);
}

// a op b of vectors of one type, or of one vector and a number.
LaneValue RowVectoriser::sum_or_product(Op op, const LaneValue& a, const LaneValue& b, const Active& active, Stmts& out,
                                        const ExprRef& into) {
  const LaneValue& vector = a.kind == Kind::vector ? a : b;
  const bool both = a.kind == Kind::vector && b.kind == Kind::vector;
  switch (op) {
    case Op::add:
      if (both) return binary_call("__bang_add", a, b, active, out, into);
      return scalar_call("__bang_add_scalar", vector, a.kind == Kind::uniform ? a.scalar : b.scalar, active, out, into);
    case Op::multiply:
      if (both) return binary_call("__bang_mul", a, b, active, out, into);
      return scalar_call("__bang_mul_scalar", vector, a.kind == Kind::uniform ? a.scalar : b.scalar, active, out, into);
    case Op::subtract: {
      if (both) return binary_call("__bang_sub", a, b, active, out, into);
      if (b.kind == Kind::uniform) return scalar_call("__bang_sub_scalar", a, b.scalar, active, out, into);
      return binary_call("__bang_sub", in_vector(a, b.type, active, out), b, active, out, into);
    }
    case Op::divide: {
      if (!is_float(vector.type)) return {};
      const LaneValue x = in_vector(a, vector.type, active, out), y = in_vector(b, vector.type, active, out);
      // Never into an operand: the division is a function of several steps.
      return binary_call("__cn_vector_div_f32_rn", x, y, active, out);
    }
    default:
      return {};
  }
}

LaneValue RowVectoriser::compared(const Expr& expr, const Active& active, Stmts& out) {
  LaneValue a = value(expr.args[0], active, out), b = value(expr.args[1], active, out);
  if (!a.known() || !b.known()) return {};
  if (a.kind == Kind::uniform && b.kind == Kind::uniform) {
    Expr copy = expr;
    copy.args = {a.scalar, b.scalar};
    return uniform_value(std::make_shared<const Expr>(std::move(copy)));
  }
  if (expr.op == Op::logical_and || expr.op == Op::logical_or) {
    const auto mask_of = [&](LaneValue& side) {
      if (side.kind == Kind::uniform) {
        side = in_vector(uniform_value(ir::conditional(side.scalar, ir::real(1), ir::real(0))), ir::float_type(),
                         active, out);
        side.kind = Kind::mask;
      }
      return side.kind == Kind::mask;
    };
    if (!mask_of(a) || !mask_of(b)) return {};
    LaneValue both = binary_call(expr.op == Op::logical_and ? "__bang_and" : "__bang_or", a, b, active, out);
    both.kind = Kind::mask;
    return both;
  }
  if (a.kind == Kind::affine || b.kind == Kind::affine || a.kind == Kind::mask || b.kind == Kind::mask) return {};
  static constexpr const char* kNames[] = {"lt", "gt", "le", "ge", "eq", "ne"};
  Op op = expr.op;
  if (a.kind == Kind::uniform) {
    std::swap(a, b);
    op = op == Op::less            ? Op::greater
         : op == Op::greater       ? Op::less
         : op == Op::less_equal    ? Op::greater_equal
         : op == Op::greater_equal ? Op::less_equal
                                   : op;
  }
  if (is_short(a.type)) {
    a = widened(a, active, out);
    b = widened(b, active, out);
  }
  if (!is_float(a.type)) return {};
  const std::string name = std::string("__bang_") + kNames[static_cast<int>(op) - static_cast<int>(Op::less)];
  LaneValue mask;
  if (b.kind == Kind::vector) {
    if (!ir::same_type(a.type, b.type)) return {};
    mask = binary_call(name, a, b, active, out);
  } else {
    mask = scalar_call(name + "_scalar", a, b.scalar, active, out);
  }
  mask.kind = Kind::mask;
  return mask;
}

LaneValue RowVectoriser::chosen(const Expr& expr, const Active& active, Stmts& out) {
  if (!varies(expr.args[0])) {
    const LaneValue test = value(expr.args[0], active, out);
    if (test.kind != Kind::uniform) return {};
    if (!varies(expr.args[1]) && !varies(expr.args[2])) {
      const LaneValue yes = value(expr.args[1], active, out), no = value(expr.args[2], active, out);
      if (yes.kind != Kind::uniform || no.kind != Kind::uniform) return {};
      return uniform_value(ir::conditional(test.scalar, yes.scalar, no.scalar));
    }
  }
  if (!is_float(expr.type) && !is_short(expr.type)) return {};
  if (is_short(expr.type)) {  // blended in float, which holds both as they are
    const auto wide = ir::conditional(expr.args[0], ir::cast(ir::float_type(), expr.args[1]),
                                      ir::cast(ir::float_type(), expr.args[2]));
    return narrowed(chosen(*wide, active, out), expr.type, active, out);
  }
  // t = no; where the condition holds, t = yes: so that nothing is read that the condition guards.
  const ExprRef result = temporary(expr.type);
  const auto set = [&](const ExprRef& given, const Active& inner, Stmts& made) {
    LaneValue one = in_vector(value(given, inner, made), expr.type, inner, made);
    if (one.kind != Kind::vector) return false;
    if (inner.mask && !(active.mask && ir::same_expr(active.mask, inner.mask))) {
      if (!is_float(expr.type)) return false;
      blend(result, one, inner.mask, inner, made);
    } else {
      move(result, one.pointer, expr.type, inner, made);
    }
    return true;
  };
  Active plain = active;
  plain.mask = nullptr;
  if (!set(expr.args[2], plain, out)) return {};
  if (!where(expr.args[0], plain, out,
             [&](const Active& inner, Stmts& made) { return set(expr.args[1], inner, made); }))
    return {};
  return vector_value(result, expr.type);
}

LaneValue RowVectoriser::converted(const Expr& expr, const Active& active, Stmts& out) {
  LaneValue x = value(expr.args[0], active, out);
  if (x.kind == Kind::uniform) {
    x.scalar = ir::cast(ir::with_constant(expr.type, false), x.scalar);
    x.type = expr.type;
    return x;
  }
  if (x.kind == Kind::affine) {
    if (ir::is_pointer(expr.type) && ir::is_pointer(x.type)) {
      if (ir::size_of(expr.type->element) != ir::size_of(x.type->element)) return {};
      return affine_value(ir::cast(expr.type, x.scalar), x.step, expr.type);
    }
    if (!ir::is_integer(expr.type) || ir::size_of(expr.type) < 4) return {};
    LaneValue moved = affine_value(counted_as(expr.type, x.scalar), x.step, expr.type);
    moved.aligned = x.aligned;
    return moved;
  }
  if (x.kind != Kind::vector) return {};
  if (ir::same_type(x.type, expr.type)) return x;
  if (is_float(expr.type) && ir::is_scalar(x.type) && x.type->scalar == ir::Scalar::i32) {
    const ExprRef real = temporary(expr.type);
    call("__bang_int322float_rn", {at(real, active), at(x.pointer, active), active.count, ir::integer(0)}, out);
    return vector_value(real, expr.type);
  }
  if (is_float(expr.type) && is_short(x.type)) return widened(x, active, out);
  if (is_short(expr.type) && is_float(x.type)) return narrowed(x, expr.type, active, out);
  if (is_short(expr.type) && is_short(x.type)) return narrowed(widened(x, active, out), expr.type, active, out);
  return {};
}

}  // namespace tqm::port::emit
