#include <utility>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/warp.hpp"

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
  uniform_.emplace(body, true, iterations_);
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
  find_segments(body);
  Stmts out;
  if (segment_)
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
      if (expr.kind == Expr::Kind::intrinsic && expr.name.starts_with("gather.")) {
        if (!gather(expr, active, out)) failed_ = true;
        return true;
      }
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
  const ir::TypeRef type = ir::is_array(scalar->type) ? ir::pointer_to(scalar->type->element) : scalar->type;
  const auto kept = ir::make_variable(names_.fresh(name + "_first"), ir::with_constant(type, true));
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
    if (!iterations_ && variable->storage == Storage::thread_array && ir::is_floating(variable->type)) {
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
  const bool moved = ir::is_integer(type) && type->scalar != ir::Scalar::boolean && ir::size_of(type) <= 4;
  if (!ir::is_floating(type) && !moved) return false;
  LaneValue result = value(given, active, out, active.mask ? nullptr : target);
  if (result.kind == Kind::affine || result.kind == Kind::none || result.kind == Kind::mask) return false;
  if (active.mask) {
    result = in_vector(result, type, active, out);
    if (result.kind != Kind::vector || ir::size_of(type) != 4) return false;
    blend(target, result, active.mask, active, out);
    return true;
  }
  result = in_vector(result, type, active, out, target);
  if (result.kind != Kind::vector) return false;
  if (!ir::same_expr(result.pointer, target)) move(target, result.pointer, type, active, out);
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
      if (iterations_) return node;
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
      if (iterations_) return node;
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
  // Only the first thread of each warp takes part: the loop steps from one to the next.
  const bool leaders =
      flat_ && !iterations_ && !lane_base_ && !active.first && !active.mask && passes::is_for_warp_leaders(*stmt);
  if (leaders) body = body.front()->body;
  if (active.mask)
    body = {ir::branch(ir::binary(Op::not_equal, ir::subscript(active.mask, number), ir::real(0)), std::move(body))};
  Stmt loop;
  loop.kind = Stmt::Kind::for_loop;
  loop.line = stmt->line;
  loop.init = ir::declare(lane, active.first ? active.first : ir::integer(0));
  loop.value = ir::binary(Op::less, number, active.first ? folded(Op::add, active.first, active.count) : active.count);
  loop.step = leaders ? ir::assign(number, ir::integer(32), Op::add) : ir::unary(Op::pre_increment, number);
  loop.body = std::move(body);
  out.push_back(std::make_shared<const Stmt>(std::move(loop)));
}

}  // namespace tqm::port::emit
