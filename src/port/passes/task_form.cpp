#include "port/passes/task_form.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "port/ir/build.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/common_stores.hpp"
#include "port/passes/hoist.hpp"
#include "port/passes/inline_calls.hpp"
#include "port/passes/meeting.hpp"
#include "port/passes/placement.hpp"
#include "port/passes/scalar_fields.hpp"
#include "port/passes/split.hpp"
#include "port/passes/versions.hpp"
#include "port/passes/without_returns.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;
using ir::VariableRef;

namespace {

// The warp steps of volatile shared memory: all threads of a warp read before any of them writes.
Stmts volatile_steps(const Stmts& stmts, ir::Names& names) {
  return ir::rewrite_stmts(stmts, [&](const StmtRef& stmt) -> Stmts {
    if (stmt->kind != Stmt::Kind::evaluate || stmt->value->kind != Expr::Kind::assign) return {stmt};
    const bool quiet = !ir::any_expr(stmt->value, [](const Expr& node) {
      return (node.kind == Expr::Kind::subscript || (node.kind == Expr::Kind::unary && node.op == Op::dereference)) &&
             node.type && node.type->is_volatile;
    });
    if (quiet) return {stmt};
    const ExprRef& place = stmt->value->args[0];
    ExprRef value = stmt->value->args[1];
    if (stmt->value->op != Op::none) value = ir::binary(stmt->value->op, place, value);
    ir::Type plain = *place->type;
    plain.is_volatile = plain.constant = false;
    const auto read = ir::make_variable(names.fresh("read"), std::make_shared<const ir::Type>(plain));
    const auto meet = ir::evaluate(ir::intrinsic("warp_barrier", ir::void_type(), {}));
    auto first = std::make_shared<Stmt>(*ir::declare(read, value));
    first->comments = stmt->comments;
    return {first, meet, ir::evaluate(ir::assign(place, ir::use(read))), meet};
  });
}

// Each meeting of threads stands alone: T t = operation(args).
Stmts alone(const Stmts& stmts, ir::Names& names) {
  const Hoist how{meeting, [&](const ExprRef& expr, Stmts& before) -> ExprRef {
                    if (ir::is_void(expr->type) || expr->name == "warp_barrier") {
                      before.push_back(ir::evaluate(expr));
                      return ir::integer(0);
                    }
                    const auto value = ir::make_variable(names.fresh("met"), ir::with_constant(expr->type, false));
                    value->line = expr->line;
                    before.push_back(ir::declare(value, expr));
                    return ir::use(value);
                  }};
  return hoist(stmts, how, names);
}

// Variables of its own: this pass changes where they live, and the kernel's tree must stay as it was.
void own_locals(ir::Function& function) {
  std::map<VariableRef, VariableRef> own;
  ir::for_each_stmt(function.body, [&](const Stmt& stmt) {
    if (stmt.kind == Stmt::Kind::declare) own[stmt.variable] = std::make_shared<ir::Variable>(*stmt.variable);
  });
  function.body = ir::rewrite_exprs(function.body, [&](const ExprRef& node) -> ExprRef {
    const auto found = node->variable ? own.find(node->variable) : own.end();
    if (found == own.end()) return node;
    Expr copy = *node;
    copy.variable = found->second;
    return std::make_shared<const Expr>(std::move(copy));
  });
  const std::function<Stmts(const Stmts&)> renewed = [&](const Stmts& stmts) {
    Stmts out;
    for (const auto& stmt : stmts) {
      Stmt copy = *stmt;
      if (stmt->kind == Stmt::Kind::declare) copy.variable = own.at(stmt->variable);
      if (stmt->init) copy.init = renewed({stmt->init}).front();
      copy.body = renewed(stmt->body);
      copy.other = renewed(stmt->other);
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    return out;
  };
  function.body = renewed(function.body);
}

// A parameter that the kernel writes is a variable of each thread.
void parameters_written(ir::Function& function, ir::Names& names) {
  const auto written = ir::written(function.body);
  for (auto& param : function.params) {
    if (std::find(written.begin(), written.end(), param) == written.end()) continue;
    const auto own = ir::make_variable(names.fresh(param->name + "_own"), ir::with_constant(param->type, false));
    own->line = param->line;
    function.body = ir::rewrite_exprs(function.body, [&](const ExprRef& node) -> ExprRef {
      return node->kind == Expr::Kind::variable && node->variable == param ? ir::use(own) : node;
    });
    function.body.insert(function.body.begin(), ir::declare(own, ir::use(param)));
  }
}

}  // namespace

TaskForm task_form(ir::Kernel& kernel, bool inline_all) {
  TaskForm form;
  form.entry =
      inline_calls(*kernel.entry, [&](const ir::Function& callee) { return inline_all || needs_its_threads(callee); });
  own_locals(form.entry);
  ir::Names names(form.entry);
  form.entry.body = without_returns(form.entry.body, nullptr, names);
  parameters_written(form.entry, names);
  if (inline_all) {
    form.entry.body = with_common_stores(with_scalar_fields(form.entry.body, names), names);
    form.entry.body = with_versions(form.entry.body, names);
  }
  form.entry.body = volatile_steps(form.entry.body, names);
  form.entry.body = alone(form.entry.body, names);
  form.meets = meets(form.entry.body);
  SplitBody split = split_threads(kernel, form.entry, names);
  if (kernel.refused()) return form;
  form.entry.body = place_variables(std::move(split), form.thread_arrays, form.shared);
  return form;
}

}  // namespace tqm::port::passes
