#include <algorithm>
#include <utility>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/without_returns.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Index;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;
using ir::Storage;
using ir::VariableRef;
using Kind = LaneValue::Kind;

RowVectoriser::RowVectoriser(const ir::Function& entry, ir::Names& names, std::vector<VariableRef>& lanes, bool merged,
                             bool flat)
    : entry_(entry), names_(names), lanes_(lanes), merged_(merged), flat_(flat), spaces_(entry) {}

std::optional<Stmts> RowVectoriser::row(const Stmts& body, const ExprRef& place_first, const ExprRef& count) {
  place_first_ = place_first;
  uniform_.emplace(body, true);
  writes_.clear();
  for (const auto& variable : ir::written(body)) ++writes_[variable];
  uses_.clear();
  ir::for_each_expr(body, [&](const Expr& expr) {
    if (expr.variable) uses_.insert(expr.variable);
  });
  failed_ = false;
  for (auto& temporary : temporaries_) temporary.used = false;
  lane_base_ = nullptr;
  constants_ = constants_in(entry_.body);
  segment_ = segment_of(body);
  Stmts out;
  if (segment_ > 0)
    out = segmented(body, place_first, count);
  else
    list(body, {nullptr, count, nullptr}, out);
  if (failed_) return std::nullopt;
  return out;
}

void RowVectoriser::list(const Stmts& stmts, const Active& active, Stmts& out) {
  for (const auto& stmt : stmts) statement(stmt, active, out);
}

void RowVectoriser::statement(const StmtRef& stmt, const Active& active, Stmts& out) {
  const auto used = temporaries_;
  Stmts made;
  const auto bindings = bindings_;
  const bool done = try_statement(stmt, active, made);
  if (!done) {
    made.clear();
    bindings_ = bindings;
    lane_by_lane(stmt, active, made);
  }
  for (std::size_t i = 0; i < temporaries_.size(); ++i) temporaries_[i].used = i < used.size() && used[i].used;
  if (!stmt->comments.empty() && !made.empty() && done) {
    Stmt comment;
    comment.line = stmt->line;
    comment.comments = stmt->comments;
    out.push_back(std::make_shared<const Stmt>(std::move(comment)));
  }
  for (auto& one : made) out.push_back(std::move(one));
}

bool RowVectoriser::try_statement(const StmtRef& given, const Active& active, Stmts& out) {
  const Stmt& stmt = *given;
  switch (stmt.kind) {
    case Stmt::Kind::block: {
      list(stmt.body, active, out);
      return true;
    }
    case Stmt::Kind::declare:
      return declare(stmt, active, out);
    case Stmt::Kind::evaluate: {
      const Expr& expr = *stmt.value;
      if (expr.kind == Expr::Kind::assign) {
        ExprRef right = expr.args[1];
        if (expr.op != Op::none) right = ir::binary(expr.op, expr.args[0], right);
        if (!ir::same_type(right->type, expr.type)) right = ir::cast(ir::with_constant(expr.type, false), right);
        if (!varies(stmt.value) && expr.args[0]->kind == Expr::Kind::variable &&
            expr.args[0]->variable->storage == Storage::local && !bindings_.contains(expr.args[0]->variable)) {
          out.push_back(ir::evaluate(stmt.value));
          return true;
        }
        return assign(expr.args[0], right, active, out);
      }
      const bool steps =
          expr.kind == Expr::Kind::unary && expr.op >= Op::pre_increment && expr.op <= Op::post_decrement;
      if (steps && !varies(stmt.value) && expr.args[0]->kind == Expr::Kind::variable &&
          expr.args[0]->variable->storage == Storage::local) {
        out.push_back(ir::evaluate(stmt.value));
        return true;
      }
      return false;
    }
    case Stmt::Kind::branch:
      return branch(stmt, active, out);
    case Stmt::Kind::for_loop:
    case Stmt::Kind::while_loop:
    case Stmt::Kind::do_loop:
      return loop(stmt, active, out);
    case Stmt::Kind::leave:
    case Stmt::Kind::next: {
      out.push_back(given);  // loops with exits that vary never get here
      return true;
    }
    default:
      return false;
  }
}

bool RowVectoriser::declare(const Stmt& stmt, const Active& active, Stmts& out) {
  const VariableRef& variable = stmt.variable;
  if (!uses_.contains(variable) && (!stmt.value || !ir::has_effects(stmt.value))) return true;
  if (!varies(ir::use(variable)) && (!stmt.value || !varies(stmt.value))) {
    if (stmt.value && ir::has_effects(stmt.value)) return false;
    ExprRef init;
    if (stmt.value) {
      if (stmt.value->kind == Expr::Kind::aggregate) {
        init = stmt.value;
      } else {
        const LaneValue given = value(stmt.value, active, out);
        if (given.kind != Kind::uniform) return false;
        init = given.scalar;
      }
    }
    out.push_back(ir::declare(variable, init));
    return true;
  }
  const ir::TypeRef& type = variable->type;
  if (ir::is_array(type) && declare_array(stmt, active, out)) return true;
  if (ir::is_array(type) || ir::is_record(type)) {
    failed_ = true;
    return true;
  }
  const bool index = ir::is_integer(type) && type->scalar != ir::Scalar::boolean;
  if ((index || ir::is_pointer(type)) && writes_[variable] == 0 && stmt.value) {
    Stmts tried;
    const LaneValue given = value(stmt.value, active, tried);
    if (given.kind == Kind::affine || given.kind == Kind::uniform) {
      for (auto& one : tried) out.push_back(std::move(one));
      Binding binding;
      binding.kind = Binding::Kind::affine;
      binding.value = given;
      binding.value.scalar = settled(variable->name, given.scalar, out);
      bindings_[variable] = binding;
      return true;
    }
  }
  if (ir::is_pointer(type)) {
    failed_ = true;
    return true;
  }
  Binding binding;
  const bool flags = type->scalar == ir::Scalar::boolean;
  binding.kind = flags ? Binding::Kind::flags : Binding::Kind::lanes;
  binding.lanes =
      ir::make_variable(names_.fresh(variable->name + "_lanes"),
                        ir::array_of(flags ? ir::float_type() : ir::with_constant(type, false), 1), Storage::shared);
  lanes_.push_back(binding.lanes);
  bindings_[variable] = binding;
  if (!stmt.value) return true;
  if (!set_lanes(binding, stmt.value, active, out)) {
    out.clear();
    lane_by_lane(std::make_shared<const Stmt>(*ir::evaluate(ir::assign(ir::use(variable), stmt.value))), active, out);
  }
  return true;
}

// The number as it is now: a name of its own where something it is made of may change.
ExprRef RowVectoriser::settled(const std::string& name, const ExprRef& scalar, Stmts& out) {
  const bool changes = ir::any_expr(scalar, [&](const Expr& node) {
    if (node.kind == Expr::Kind::subscript || node.kind == Expr::Kind::call) return true;
    if (node.kind == Expr::Kind::unary && node.op == Op::dereference) return true;
    return node.kind == Expr::Kind::variable && writes_.contains(node.variable);
  });
  if (!changes) return scalar;
  const auto kept = ir::make_variable(names_.fresh(name + "_first"), ir::with_constant(scalar->type, true));
  out.push_back(ir::declare(kept, scalar));
  return ir::use(kept);
}

bool RowVectoriser::assign(const ExprRef& place, const ExprRef& given, const Active& active, Stmts& out) {
  if (place->kind == Expr::Kind::variable) {
    const VariableRef& variable = place->variable;
    if (const auto bound = bindings_.find(variable); bound != bindings_.end()) {
      if (bound->second.kind == Binding::Kind::affine) {
        failed_ = true;
        return true;
      }
      return set_lanes(bound->second, given, active, out);
    }
    if (variable->storage == Storage::thread_array && ir::is_floating(variable->type) &&
        variable->type->scalar != ir::Scalar::bf16) {
      Binding binding;
      binding.kind = Binding::Kind::lanes;
      binding.lanes = variable;
      return set_lanes(binding, given, active, out);
    }
    if (variable->storage != Storage::shared) return false;
  }
  if (array_element(place)) {
    const ExprRef row = array_row(place, active, out);
    return row && set_vector(row, ir::with_constant(place->type, false), given, active, out);
  }
  return store(place, given, active, out);
}

bool RowVectoriser::set_lanes(const Binding& binding, const ExprRef& given, const Active& active, Stmts& out) {
  const ExprRef target = value(ir::use(binding.lanes), active, out).pointer;
  const ir::TypeRef type = ir::is_array(binding.lanes->type) ? binding.lanes->type->element : binding.lanes->type;
  if (binding.kind == Binding::Kind::flags) {
    LaneValue flags = value(given, active, out);
    if (flags.kind == Kind::uniform)
      flags = in_vector(uniform_value(ir::conditional(flags.scalar, ir::real(1), ir::real(0))), ir::float_type(),
                        active, out);
    else if (flags.kind != Kind::mask)
      return false;
    if (active.mask) return false;
    move(target, flags.pointer, ir::float_type(), active, out);
    return true;
  }
  return set_vector(target, type, given, active, out);
}

bool RowVectoriser::set_vector(const ExprRef& target, const ir::TypeRef& type, const ExprRef& given,
                               const Active& active, Stmts& out) {
  if (!ir::is_floating(type) || type->scalar == ir::Scalar::bf16) return false;
  LaneValue result = value(given, active, out, active.mask ? nullptr : target);
  if (result.kind == Kind::affine || result.kind == Kind::none || result.kind == Kind::mask) return false;
  if (active.mask) {
    result = in_vector(result, type, active, out);
    if (result.kind != Kind::vector || type->scalar != ir::Scalar::f32) return false;
    blend(target, result, active.mask, active, out);
    return true;
  }
  result = in_vector(result, type, active, out, target);
  if (result.kind != Kind::vector) return false;
  if (!ir::same_expr(result.pointer, target)) move(target, result.pointer, type, active, out);
  return true;
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

// What has no vector form: the statement for one lane after the other.
void RowVectoriser::lane_by_lane(const StmtRef& stmt, const Active& active, Stmts& out) {
  const auto lane = ir::make_variable(names_.fresh("lane"), ir::int_type());
  const ExprRef number = ir::use(lane);
  bool possible = !ir::any_stmt(
      {stmt}, [](const Stmt& s) { return s.kind == Stmt::Kind::give_back || s.kind == Stmt::Kind::barrier; });
  if (stmt->kind == Stmt::Kind::declare || stmt->kind == Stmt::Kind::leave || stmt->kind == Stmt::Kind::next)
    possible = false;
  const std::function<bool(const Stmts&, bool)> stray = [&](const Stmts& stmts, bool inside) -> bool {
    for (const auto& inner : stmts) {
      if ((inner->kind == Stmt::Kind::leave || inner->kind == Stmt::Kind::next) && !inside) return true;
      const bool own = inside || inner->kind == Stmt::Kind::for_loop || inner->kind == Stmt::Kind::while_loop ||
                       inner->kind == Stmt::Kind::do_loop || inner->kind == Stmt::Kind::choose;
      if (stray(inner->body, own) || stray(inner->other, own)) return true;
    }
    return false;
  };
  if (!possible || stray({stmt}, false)) {
    failed_ = true;
    return;
  }
  Stmts body = ir::rewrite_exprs({stmt}, [&](const ExprRef& node) -> ExprRef {
    if (node->kind == Expr::Kind::index) {
      if (node->index == Index::place_x) return ir::cast(node->type, folded(Op::add, place_first_, number));
      if (node->index == Index::thread_x)
        return ir::cast(node->type, lane_base_ ? folded(Op::add, lane_base_, number) : number);
      if (node->index == Index::thread_linear) {
        const LaneValue linear = index_value(*node);
        return folded(Op::add, linear.scalar, ir::cast(node->type, number));
      }
      return node;
    }
    if (const auto element = array_element(node))
      return ir::subscript(ir::subscript(ir::use(bindings_.at(element->first).lanes), element->second), number);
    if (node->kind != Expr::Kind::variable) return node;
    if (node->variable->storage == Storage::thread_array) {
      const LaneValue linear = index_value(*ir::index(Index::thread_linear));
      return ir::thread_element(node->variable, folded(Op::add, linear.scalar, ir::cast(ir::uint_type(), number)));
    }
    const auto bound = bindings_.find(node->variable);
    if (bound == bindings_.end() || bound->second.kind == Binding::Kind::scalar ||
        bound->second.kind == Binding::Kind::rows)
      return node;
    if (bound->second.kind == Binding::Kind::affine) {
      const LaneValue& moving = bound->second.value;
      if (moving.kind == Kind::uniform) return ir::cast(node->type, moving.scalar);
      return ir::cast(node->type, folded(Op::add, moving.scalar, folded(Op::multiply, moving.step, number)));
    }
    return ir::subscript(ir::use(bound->second.lanes), number);
  });
  // An array of the thread that is not taken element by element has no place among the lanes.
  if (ir::any_expr(body, [&](const Expr& node) {
        const auto bound = node.variable ? bindings_.find(node.variable) : bindings_.end();
        return bound != bindings_.end() && bound->second.kind == Binding::Kind::rows;
      })) {
    failed_ = true;
    return;
  }
  if (active.mask)
    body = {ir::branch(ir::binary(Op::not_equal, ir::subscript(active.mask, number), ir::real(0)), std::move(body))};
  Stmt loop;
  loop.kind = Stmt::Kind::for_loop;
  loop.line = stmt->line;
  loop.init = ir::declare(lane, active.first ? active.first : ir::integer(0));
  loop.value = ir::binary(Op::less, number, active.first ? folded(Op::add, active.first, active.count) : active.count);
  loop.step = ir::unary(Op::pre_increment, number);
  loop.body = std::move(body);
  loop.value = loop.value;
  out.push_back(std::make_shared<const Stmt>(std::move(loop)));
}

}  // namespace tqm::port::emit
