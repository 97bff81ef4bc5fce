// Passes on trees built by hand: what comes out, as text.
#include <gtest/gtest.h>

#include "port/ir/build.hpp"
#include "port/ir/print.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/common_stores.hpp"
#include "port/passes/task_form.hpp"
#include "port/passes/uniform.hpp"
#include "port/passes/versions.hpp"
#include "port/passes/without_returns.hpp"

namespace tqm::port::passes {
namespace {

using namespace ir;

Kernel kernel_of(Stmts body, std::vector<VariableRef> params = {}) {
  auto function = std::make_shared<Function>();
  function->name = "k";
  function->kernel = true;
  function->result = void_type();
  function->params = std::move(params);
  function->body = std::move(body);
  Kernel kernel;
  kernel.entry = function;
  return kernel;
}

StmtRef returns() {
  Stmt stmt;
  stmt.kind = Stmt::Kind::give_back;
  return std::make_shared<const Stmt>(stmt);
}

struct Fixture {
  VariableRef x = make_variable("x", pointer_to(float_type()), Storage::parameter);
  VariableRef s = make_variable("s", array_of(float_type(), 64), Storage::shared);
  VariableRef v = make_variable("v", float_type());
  ExprRef t = index(Index::thread_x);
  ExprRef at(const VariableRef& array, ExprRef position) { return subscript(use(array), std::move(position)); }
};

TEST(TaskForm, ValuesThatCrossABarrierBecomeThreadArrays) {
  Fixture f;
  Kernel kernel =
      kernel_of({declare(f.s), declare(f.v, f.at(f.x, f.t)), evaluate(assign(f.at(f.s, f.t), use(f.v))), barrier(3),
                 evaluate(assign(f.at(f.x, f.t), binary(Op::add, f.at(f.s, integer(0)), use(f.v))))},
                {f.x});
  const TaskForm form = task_form(kernel);
  ASSERT_FALSE(kernel.refused());
  EXPECT_EQ(print(form.entry.body),
            "for each thread {\n  v[thread] = x[thread_x];\n  s[thread_x] = v[thread];\n}\n"
            "for each thread {\n  x[thread_x] = s[0] + v[thread];\n}\n");
  EXPECT_EQ(form.thread_arrays.size(), 1u);
  EXPECT_EQ(form.shared.size(), 1u);
}

// row is computed anew behind the barrier, and so is warp, which only row is made of.
TEST(TaskForm, WhatIsComputedAnewBringsWhatItIsMadeOf) {
  Fixture f;
  const auto warp = make_variable("warp", int_type()), row = make_variable("row", int_type());
  const auto store = evaluate(assign(f.at(f.s, use(row)), real(1)));
  Kernel kernel = kernel_of({declare(f.s), declare(warp, cast(int_type(), f.t)),
                             declare(row, binary(Op::add, use(warp), integer(1))), store, barrier(3), store},
                            {f.x});
  const TaskForm form = task_form(kernel);
  int of_warp = 0, of_row = 0;
  for_each_stmt(form.entry.body, [&](const Stmt& stmt) {
    if (stmt.kind != Stmt::Kind::declare) return;
    of_warp += stmt.variable->name == "warp";
    of_row += stmt.variable->name == "row";
  });
  EXPECT_EQ(of_row, 2);
  EXPECT_EQ(of_warp, 2);
}

TEST(TaskForm, ABarrierUnderAVaryingConditionIsRefused) {
  Fixture f;
  Kernel kernel = kernel_of({branch(binary(Op::less, f.t, integer(5)), {barrier(7)})}, {f.x});
  (void)task_form(kernel);
  ASSERT_TRUE(kernel.refused());
  EXPECT_EQ(kernel.remarks.front().number, 2007);
}

TEST(TaskForm, ABarrierUnderAUniformConditionStandsOutside) {
  Fixture f;
  const auto n = make_variable("n", int_type(), Storage::parameter);
  Kernel kernel = kernel_of(
      {branch(binary(Op::greater, use(n), integer(1)),
              {evaluate(assign(f.at(f.x, f.t), real(1))), barrier(2), evaluate(assign(f.at(f.x, f.t), real(2)))})},
      {f.x, n});
  const TaskForm form = task_form(kernel);
  EXPECT_EQ(print(form.entry.body),
            "if (n > 1) {\n  for each thread {\n    x[thread_x] = 1.0f;\n  }\n  for each thread {\n    x[thread_x] = "
            "2.0f;\n  }\n}\n");
}

TEST(WithoutReturns, WhatFollowsMovesIntoTheOtherBranch) {
  Fixture f;
  Function function;
  Names names(function);
  const auto n = make_variable("n", int_type(), Storage::parameter);
  const Stmts body = {branch(binary(Op::greater_equal, cast(int_type(), f.t), use(n)), {returns()}),
                      evaluate(assign(f.at(f.x, f.t), real(1)))};
  EXPECT_EQ(print(without_returns(body, nullptr, names)), "if ((int)thread_x < n) {\n  x[thread_x] = 1.0f;\n}\n");
}

TEST(WithoutReturns, AComparisonOfFloatsIsNotTurnedRound) {
  const auto a = make_variable("a", float_type());
  EXPECT_EQ(print(negated(binary(Op::less, use(a), real(1)))), "!(a < 1.0f)");  // NaN goes the same way as before
}

TEST(Uniform, FollowsAssignmentsAndConditions) {
  Fixture f;
  const auto a = make_variable("a", int_type()), b = make_variable("b", int_type()), c = make_variable("c", int_type());
  const Stmts body = {declare(a, integer(1)), declare(b, integer(1)), declare(c, cast(int_type(), f.t)),
                      branch(binary(Op::less, use(c), integer(3)), {evaluate(assign(use(b), integer(2)))})};
  const Uniform uniform(body);
  EXPECT_FALSE(uniform.varies(a));
  EXPECT_TRUE(uniform.varies(b));  // assigned under a condition that varies
  EXPECT_TRUE(uniform.varies(c));
}

}  // namespace
TEST(CommonStores, BranchesThatEndAtOnePlaceStoreOnceBehindThem) {
  Fixture f;
  const auto i = make_variable("i", int_type());
  const auto store = [&](ExprRef value) { return evaluate(assign(f.at(f.x, use(i)), std::move(value))); };
  Function function;
  function.params = {f.x};
  const Stmts chain = {declare(i, cast(int_type(), f.t)),
                       branch(binary(Op::less, use(i), integer(1)), {store(real(1))},
                              {branch(binary(Op::less, use(i), integer(2)), {store(real(2))}, {store(real(3))})})};
  function.body = chain;
  Names names(function);
  const Stmts made = with_common_stores(chain, names);
  ASSERT_EQ(made.size(), 4u);
  EXPECT_EQ(made[1]->variable->name, "stored_2");
  EXPECT_TRUE(same_expr(made[3]->value->args[0], f.at(f.x, use(i))));
  EXPECT_FALSE(any_stmt({made[2]}, [&](const Stmt& s) {
    return s.kind == Stmt::Kind::evaluate && s.value->args[0]->kind != Expr::Kind::variable;
  }));

  // Where a branch moves the place, or a store stands on one side alone, everything stays.
  const auto moved = evaluate(unary(Op::pre_increment, use(i)));
  const Stmts moving = {branch(f.t, {moved, store(real(1))}, {store(real(2))})};
  EXPECT_EQ(with_common_stores(moving, names).size(), 1u);
  const Stmts lone = {branch(f.t, {store(real(1))})};
  EXPECT_EQ(with_common_stores(lone, names).size(), 1u);
}

TEST(Versions, EachSettingInAStraightLineHasANameOfItsOwn) {
  const auto i = ir::make_variable("i", ir::int_type(), ir::Storage::parameter);
  const auto rest = ir::make_variable("rest", ir::int_type());
  const auto out = ir::make_variable("out", ir::pointer_to(ir::int_type()), ir::Storage::parameter);
  const auto set = ir::evaluate(ir::assign(ir::use(rest), ir::integer(8), ir::Op::remainder));
  const auto store = ir::evaluate(ir::assign(ir::subscript(ir::use(out), ir::use(rest)), ir::integer(1)));
  ir::Function function;
  function.params = {i, out};
  function.body = {ir::declare(rest, ir::use(i)), store, set, store};
  ir::Names names(function);
  const ir::Stmts made = with_versions(function.body, names);
  ASSERT_EQ(made.size(), 4u);
  ASSERT_EQ(made[2]->kind, ir::Stmt::Kind::declare);
  EXPECT_EQ(made[2]->variable->name, "rest_2");
  EXPECT_TRUE(ir::uses(ir::Stmts{made[1]}, rest));
  EXPECT_FALSE(ir::uses(ir::Stmts{made[3]}, rest));

  // A setting in a branch leaves the variable as it is.
  const ir::Stmts branched = {ir::declare(rest, ir::use(i)), ir::branch(ir::use(i), {set}), store};
  EXPECT_TRUE(ir::uses(ir::Stmts{with_versions(branched, names)[2]}, rest));
}

}  // namespace tqm::port::passes
