#include "port/emit/bang/spaces.hpp"

#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Storage;

namespace {

Space joined(Space a, Space b) {
  if (a == Space::none) return b;
  if (b == Space::none || a == b) return a;
  return Space::unknown;
}

}  // namespace

Spaces::Spaces(const ir::Function& function) {
  for (const auto& param : function.params) {
    if (ir::is_pointer(param->type)) spaces_[param] = function.kernel ? Space::global : Space::unknown;
    if (ir::is_record(param->type)) spaces_[param] = Space::global;  // pointers in a record of the host
  }
  bool more = true;
  while (more) {
    more = false;
    ir::for_each_stmt(function.body, [&](const ir::Stmt& stmt) {
      if (stmt.kind == ir::Stmt::Kind::declare && stmt.value && ir::is_pointer(stmt.variable->type))
        more = merge(stmt.variable, of(stmt.value)) || more;
    });
    ir::for_each_expr(function.body, [&](const Expr& expr) {
      if (expr.kind != Expr::Kind::assign || !ir::is_pointer(expr.args[0]->type)) return;
      if (const auto root = ir::root_variable(expr.args[0])) more = merge(root, of(expr.args[1])) || more;
    });
  }
}

bool Spaces::merge(const ir::VariableRef& variable, Space space) {
  const Space now = joined(spaces_[variable], space);
  if (now == spaces_[variable]) return false;
  spaces_[variable] = now;
  return true;
}

Space Spaces::of(const ExprRef& pointer) const {
  switch (pointer->kind) {
    case Expr::Kind::variable: {
      if (ir::is_array(pointer->type)) return of_place(pointer);
      const auto found = spaces_.find(pointer->variable);
      if (found != spaces_.end()) return found->second;
      return pointer->variable->storage == Storage::thread_array ? Space::unknown : Space::none;
    }
    case Expr::Kind::cast:
      return of(pointer->args[0]);
    case Expr::Kind::binary: {
      if (pointer->op == Op::comma) return of(pointer->args[1]);
      const bool left = pointer->args[0]->type && pointer->args[0]->type->element;
      return of(pointer->args[left ? 0 : 1]);
    }
    case Expr::Kind::conditional:
      return joined(of(pointer->args[1]), of(pointer->args[2]));
    case Expr::Kind::unary:
      if (pointer->op == Op::address) return of_place(pointer->args[0]);
      if (pointer->op >= Op::pre_increment && pointer->op <= Op::post_decrement) return of(pointer->args[0]);
      return Space::unknown;
    case Expr::Kind::subscript:
    case Expr::Kind::member: {
      if (ir::is_array(pointer->type)) return of_place(pointer);
      const auto root = ir::root_variable(pointer);
      const auto found = root ? spaces_.find(root) : spaces_.end();
      return found == spaces_.end() ? Space::unknown : found->second;
    }
    case Expr::Kind::integer:
      return Space::none;
    default:
      return Space::unknown;
  }
}

Space Spaces::of_place(const ExprRef& place) const {
  switch (place->kind) {
    case Expr::Kind::variable:
      return place->variable->storage == Storage::device || place->variable->storage == Storage::constant
                 ? Space::global
                 : Space::on_chip;
    case Expr::Kind::thread_element:
      return Space::on_chip;
    case Expr::Kind::subscript:
      return ir::is_array(place->args[0]->type) ? of_place(place->args[0]) : of(place->args[0]);
    case Expr::Kind::member:
    case Expr::Kind::cast:
      return of_place(place->args[0]);
    case Expr::Kind::unary:
      return place->op == Op::dereference ? of(place->args[0]) : Space::unknown;
    default:
      return Space::unknown;
  }
}

}  // namespace tqm::port::emit
