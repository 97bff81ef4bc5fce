#include "port/passes/hoist.hpp"

#include <utility>

#include "port/ir/walk.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;

namespace {

class Hoister {
 public:
  Hoister(const Hoist& how, ir::Names& names) : how_(how), names_(names) {}

  Stmts list(const Stmts& stmts) {
    Stmts result;
    for (const auto& stmt : stmts) one(stmt, result);
    return result;
  }

 private:
  bool inside(const ExprRef& expr) const { return ir::any_expr(expr, how_.chosen); }

  ExprRef expr(const ExprRef& given, Stmts& before) {
    if (!given || !inside(given)) return given;
    if (given->kind == Expr::Kind::binary && (given->op == Op::logical_and || given->op == Op::logical_or) &&
        inside(given->args[1]))
      return short_circuit(given, before);
    if (given->kind == Expr::Kind::conditional && (inside(given->args[1]) || inside(given->args[2])))
      return choice(given, before);
    if (given->kind == Expr::Kind::binary && given->op == Op::comma) {
      before.push_back(ir::evaluate(expr(given->args[0], before)));
      return expr(given->args[1], before);
    }
    std::vector<ExprRef> args;
    for (const auto& arg : given->args) args.push_back(expr(arg, before));
    ExprRef made = ir::copy_with_args(given, std::move(args));
    return how_.chosen(*made) ? how_.take(made, before) : made;
  }

  ExprRef short_circuit(const ExprRef& given, Stmts& before) {
    const auto value = ir::make_variable(names_.fresh("condition"), ir::bool_type());
    before.push_back(ir::declare(value, expr(given->args[0], before)));
    Stmts inner;
    ExprRef right = expr(given->args[1], inner);
    inner.push_back(ir::evaluate(ir::assign(ir::use(value), right)));
    ExprRef test = ir::use(value);
    if (given->op == Op::logical_or) test = ir::unary(Op::logical_not, test);
    before.push_back(ir::branch(test, std::move(inner)));
    return ir::use(value);
  }

  ExprRef choice(const ExprRef& given, Stmts& before) {
    const auto value = ir::make_variable(names_.fresh("chosen"), ir::with_constant(given->type, false));
    before.push_back(ir::declare(value));
    const ExprRef test = expr(given->args[0], before);
    Stmts yes, no;
    ExprRef first = expr(given->args[1], yes);
    yes.push_back(ir::evaluate(ir::assign(ir::use(value), first)));
    ExprRef second = expr(given->args[2], no);
    no.push_back(ir::evaluate(ir::assign(ir::use(value), second)));
    before.push_back(ir::branch(test, std::move(yes), std::move(no)));
    return ir::use(value);
  }

  static StmtRef leave_unless(const ExprRef& condition) {
    Stmt leave;
    leave.kind = Stmt::Kind::leave;
    return ir::branch(ir::unary(Op::logical_not, condition), {std::make_shared<const Stmt>(leave)});
  }

  // continue inside the body must still take the step.
  static Stmts step_before_next(const Stmts& stmts, const Stmts& step) {
    Stmts result;
    for (const auto& stmt : stmts) {
      if (stmt->kind == Stmt::Kind::next) {
        for (const auto& s : step) result.push_back(s);
        result.push_back(stmt);
        continue;
      }
      const bool own_loop = stmt->kind == Stmt::Kind::for_loop || stmt->kind == Stmt::Kind::while_loop ||
                            stmt->kind == Stmt::Kind::do_loop;
      if (own_loop) {
        result.push_back(stmt);
        continue;
      }
      Stmt copy = *stmt;
      copy.body = step_before_next(stmt->body, step);
      copy.other = step_before_next(stmt->other, step);
      result.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    return result;
  }

  void one(const StmtRef& given, Stmts& into) {
    Stmt copy = *given;
    copy.body = list(given->body);
    copy.other = list(given->other);
    switch (given->kind) {
      case Stmt::Kind::for_loop: {
        Stmts init;
        if (given->init) one(given->init, init);
        const bool loop_condition = given->value && inside(given->value);
        const bool loop_step = given->step && inside(given->step);
        if (init.size() > 1 || loop_condition || loop_step) {
          Stmts outer;
          if (init.size() == 1) copy.init = init[0];
          if (init.size() > 1) {
            outer = init;
            copy.init = nullptr;
          }
          if (loop_step) {
            Stmts step;
            ExprRef value = expr(given->step, step);
            step.push_back(ir::evaluate(value));
            copy.body = step_before_next(copy.body, step);
            for (auto& s : step) copy.body.push_back(s);
            copy.step = nullptr;
          }
          if (loop_condition) {
            Stmts test;
            const ExprRef condition = expr(given->value, test);
            test.push_back(leave_unless(condition));
            copy.body.insert(copy.body.begin(), test.begin(), test.end());
            copy.value = nullptr;
          }
          outer.push_back(std::make_shared<const Stmt>(std::move(copy)));
          if (outer.size() == 1)
            into.push_back(outer[0]);
          else
            into.push_back(ir::block(std::move(outer)));
          return;
        }
        if (init.size() == 1) copy.init = init[0];
        break;
      }
      case Stmt::Kind::while_loop:
        if (inside(given->value)) {
          Stmts test;
          const ExprRef condition = expr(given->value, test);
          test.push_back(leave_unless(condition));
          copy.body.insert(copy.body.begin(), test.begin(), test.end());
          copy.value = ir::integer(1, ir::bool_type());
        }
        break;
      case Stmt::Kind::do_loop:
        if (inside(given->value)) {
          Stmts test;
          const ExprRef condition = expr(given->value, test);
          test.push_back(leave_unless(condition));
          copy.body = step_before_next(copy.body, test);
          for (auto& s : test) copy.body.push_back(s);
          copy.kind = Stmt::Kind::while_loop;
          copy.value = ir::integer(1, ir::bool_type());
        }
        break;
      default:
        if (given->value && inside(given->value)) copy.value = expr(given->value, into);
        // A call whose value nobody wants leaves nothing behind.
        if (given->kind == Stmt::Kind::evaluate && (!copy.value || !ir::has_effects(copy.value))) return;
        break;
    }
    into.push_back(std::make_shared<const Stmt>(std::move(copy)));
  }

  const Hoist& how_;
  ir::Names& names_;
};

}  // namespace

Stmts hoist(const Stmts& stmts, const Hoist& how, ir::Names& names) {
  return Hoister(how, names).list(stmts);
}

}  // namespace tqm::port::passes
