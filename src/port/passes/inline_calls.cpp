#include "port/passes/inline_calls.hpp"

#include <map>
#include <utility>

#include "port/ir/build.hpp"
#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/hoist.hpp"
#include "port/passes/without_returns.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::Stmts;
using ir::VariableRef;

bool needs_its_threads(const ir::Function& function) {
  return ir::any_stmt(
             function.body,
             [](const Stmt& stmt) {
               return stmt.kind == Stmt::Kind::barrier ||
                      (stmt.kind == Stmt::Kind::declare && (stmt.variable->storage == ir::Storage::shared ||
                                                            stmt.variable->storage == ir::Storage::dynamic_shared));
             }) ||
         ir::any_expr(function.body, [](const Expr& expr) {
           if (expr.kind == Expr::Kind::index) return expr.index != ir::Index::warp_size;
           if (expr.kind == Expr::Kind::intrinsic)
             return ir::is_warp(expr.name) || ir::is_vote(expr.name) || ir::is_atomic(expr.name);
           if (expr.kind == Expr::Kind::variable)
             return expr.variable->storage == ir::Storage::constant || expr.variable->storage == ir::Storage::device ||
                    expr.variable->storage == ir::Storage::shared ||
                    expr.variable->storage == ir::Storage::dynamic_shared ||
                    (expr.variable->type->element && expr.variable->type->element->is_volatile);
           return expr.kind == Expr::Kind::call && needs_its_threads(*expr.function);
         });
}

namespace {

// The body with variables of its own under new names, parameters bound.
class Inliner {
 public:
  Inliner(const std::function<bool(const ir::Function&)>& chosen, ir::Names& names) : chosen_(chosen), names_(names) {}

  Stmts body(const Stmts& stmts) {
    const Hoist how{[this](const Expr& expr) { return expr.kind == Expr::Kind::call && chosen_(*expr.function); },
                    [this](const ExprRef& call, Stmts& before) { return take(call, before); }};
    return hoist(stmts, how, names_);
  }

 private:
  using Binding = std::map<VariableRef, ExprRef>;

  static bool simple(const ExprRef& arg) {
    switch (arg->kind) {
      case Expr::Kind::integer:
      case Expr::Kind::floating:
      case Expr::Kind::text:
      case Expr::Kind::index:
        return true;
      case Expr::Kind::variable:
        return true;
      case Expr::Kind::unary:
        return arg->op == Op::address && simple_place(arg->args[0]);
      default:
        return false;
    }
  }
  static bool is_address_of_temporary(const ExprRef& arg) {
    if (arg->kind != Expr::Kind::unary || arg->op != Op::address) return false;
    const auto kind = arg->args[0]->kind;
    return kind == Expr::Kind::call || kind == Expr::Kind::aggregate || kind == Expr::Kind::conditional;
  }
  static bool simple_place(const ExprRef& place) {
    if (place->kind == Expr::Kind::variable) return true;
    if (place->kind == Expr::Kind::member) return simple_place(place->args[0]);
    return false;
  }

  ExprRef take(const ExprRef& call, Stmts& before) {
    const ir::Function& callee = *call->function;
    Binding binding;
    for (std::size_t i = 0; i < callee.params.size(); ++i) {
      const auto& param = callee.params[i];
      const ExprRef arg = i < call->args.size() ? call->args[i] : ir::integer(0);
      const bool written = ir::is_written(callee.body, param);
      if (is_address_of_temporary(arg)) {  // a method of an object that nobody named
        const auto object = ir::make_variable(names_.fresh(param->name), ir::with_constant(arg->args[0]->type, false));
        before.push_back(ir::declare(object, arg->args[0]));
        binding[param] = ir::unary(Op::address, ir::use(object));
        continue;
      }
      // A variable handed over may be written while the callee still reads its parameter: only constants are safe.
      const bool fixed = arg->kind != Expr::Kind::variable || arg->variable->storage == ir::Storage::parameter ||
                         arg->variable->storage == ir::Storage::shared || arg->variable->type->constant ||
                         ir::is_array(arg->type);
      if (!written && simple(arg) && fixed) {
        binding[param] =
            ir::is_array(arg->type) || ir::same_type(arg->type, param->type) ? arg : ir::cast(param->type, arg);
        continue;
      }
      const auto local = ir::make_variable(names_.fresh(param->name), ir::with_constant(param->type, !written));
      local->restrict_pointer = param->restrict_pointer;
      local->line = param->line;
      before.push_back(ir::declare(local, arg));
      binding[param] = ir::use(local);
    }
    VariableRef result;
    if (!ir::is_void(callee.result)) {
      result = ir::make_variable(names_.fresh(callee.name + "_result"), ir::with_constant(callee.result, false));
      before.push_back(ir::declare(result));
    }
    Stmts inner = copied(callee.body, binding);
    inner = without_returns(inner, result, names_);
    // result declared and at once assigned: one statement
    inner = body(inner);
    // A reference that is given back stands for the place itself.
    if (const ExprRef place = place_given_back(inner, result)) {
      before.pop_back();
      return place;
    }
    before.push_back(ir::block(std::move(inner)));
    return result ? ir::use(result) : ir::integer(0);
  }

  // &place, where that is all the function does and naming the place reads nothing.
  static ExprRef place_given_back(const Stmts& inner, const VariableRef& result) {
    if (!result || !ir::is_pointer(result->type) || inner.size() != 1 || inner[0]->kind != Stmt::Kind::evaluate)
      return nullptr;
    const Expr& set = *inner[0]->value;
    if (set.kind != Expr::Kind::assign || set.op != Op::none || set.args[0]->variable != result) return nullptr;
    const ExprRef& value = set.args[1];
    if (value->kind != Expr::Kind::unary || value->op != Op::address || ir::has_effects(value)) return nullptr;
    ExprRef at = value->args[0];
    while (at->kind == Expr::Kind::member || (at->kind == Expr::Kind::subscript && ir::is_array(at->args[0]->type))) {
      if (at->kind == Expr::Kind::subscript && reads_memory(at->args[1])) return nullptr;
      at = at->args[0];
    }
    if (at->kind == Expr::Kind::unary && at->op == Op::dereference) {
      at = at->args[0];
      while (at->kind == Expr::Kind::cast) at = at->args[0];
    }
    return at->kind == Expr::Kind::variable ? value : nullptr;
  }
  static bool reads_memory(const ExprRef& expr) {
    return ir::any_expr(expr, [](const Expr& node) {
      return node.kind == Expr::Kind::subscript || (node.kind == Expr::Kind::unary && node.op == Op::dereference);
    });
  }

  Stmts copied(const Stmts& stmts, Binding& binding) {
    Stmts out;
    for (const auto& stmt : stmts) {
      Stmt copy = *stmt;
      copy.comments.clear();
      if (stmt->init) copy.init = copied({stmt->init}, binding).front();
      if (stmt->kind == Stmt::Kind::declare) {
        auto variable = std::make_shared<ir::Variable>(*stmt->variable);
        variable->name = names_.fresh(variable->name);
        copy.value = bound(stmt->value, binding);
        copy.variable = variable;
        if (variable->storage == ir::Storage::shared || variable->storage == ir::Storage::dynamic_shared) {
          // One array a function, however often it is called.
          auto& shared = shared_[stmt->variable];
          if (shared) {
            binding[stmt->variable] = ir::use(shared);
            continue;
          }
          shared = variable;
        }
        binding[stmt->variable] = ir::use(variable);
        out.push_back(std::make_shared<const Stmt>(std::move(copy)));
        continue;
      }
      copy.value = bound(stmt->value, binding);
      copy.step = bound(stmt->step, binding);
      copy.body = copied(stmt->body, binding);
      copy.other = copied(stmt->other, binding);
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    return out;
  }

  static ExprRef bound(const ExprRef& expr, const Binding& binding) {
    return ir::rewrite(expr, [&](const ExprRef& node) -> ExprRef {
      if (node->kind == Expr::Kind::variable) {
        const auto found = binding.find(node->variable);
        return found == binding.end() ? node : found->second;
      }
      if (node->kind == Expr::Kind::unary && node->op == Op::dereference && node->args[0]->kind == Expr::Kind::unary &&
          node->args[0]->op == Op::address)
        return node->args[0]->args[0];
      return node;
    });
  }

  const std::function<bool(const ir::Function&)>& chosen_;
  ir::Names& names_;
  std::map<VariableRef, VariableRef> shared_;
};

}  // namespace

ir::Function inline_calls(const ir::Function& function, const std::function<bool(const ir::Function&)>& chosen) {
  ir::Names names(function);
  ir::Function result = function;
  result.body = Inliner(chosen, names).body(function.body);
  return result;
}

}  // namespace tqm::port::passes
