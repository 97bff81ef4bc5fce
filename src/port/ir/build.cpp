#include "port/ir/build.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/result.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::ir {

TypeRef int_type() {
  static const TypeRef type = scalar_type(Scalar::i32);
  return type;
}
TypeRef uint_type() {
  static const TypeRef type = scalar_type(Scalar::u32);
  return type;
}
TypeRef float_type() {
  static const TypeRef type = scalar_type(Scalar::f32);
  return type;
}
TypeRef bool_type() {
  static const TypeRef type = scalar_type(Scalar::boolean);
  return type;
}
TypeRef void_type() {
  static const TypeRef type = scalar_type(Scalar::none);
  return type;
}

namespace {

ExprRef made(Expr expr) {
  return std::make_shared<const Expr>(std::move(expr));
}

StmtRef made(Stmt stmt) {
  return std::make_shared<const Stmt>(std::move(stmt));
}

int line_of(const ExprRef& expr) {
  return expr ? expr->line : 0;
}

bool compares(Op op) {
  return (op >= Op::less && op <= Op::not_equal) || op == Op::logical_and || op == Op::logical_or;
}

}  // namespace

ExprRef integer(std::int64_t value, TypeRef type) {
  Expr expr;
  expr.kind = Expr::Kind::integer;
  expr.type = std::move(type);
  expr.value = value;
  return made(std::move(expr));
}

ExprRef real(double value, TypeRef type) {
  Expr expr;
  expr.kind = Expr::Kind::floating;
  expr.type = std::move(type);
  expr.real = value;
  return made(std::move(expr));
}

ExprRef use(const VariableRef& variable) {
  Expr expr;
  expr.kind = Expr::Kind::variable;
  expr.type = variable->type;
  expr.variable = variable;
  return made(std::move(expr));
}

ExprRef index(Index which) {
  Expr expr;
  expr.kind = Expr::Kind::index;
  expr.type = which == Index::warp_size ? int_type() : uint_type();
  expr.index = which;
  return made(std::move(expr));
}

ExprRef unary(Op op, ExprRef operand) {
  Expr expr;
  expr.kind = Expr::Kind::unary;
  expr.op = op;
  expr.line = line_of(operand);
  if (op == Op::logical_not)
    expr.type = bool_type();
  else if (op == Op::address)
    expr.type = pointer_to(operand->type);
  else if (op == Op::dereference)
    expr.type = operand->type->element;
  else
    expr.type = operand->type;
  expr.args = {std::move(operand)};
  return made(std::move(expr));
}

TypeRef common_type(const TypeRef& a, const TypeRef& b) {
  if (!is_scalar(a)) return a;
  if (!is_scalar(b)) return b;
  if (is_floating(a) || is_floating(b)) {
    if (!is_floating(a)) return scalar_type(b->scalar);
    if (!is_floating(b)) return scalar_type(a->scalar);
    return scalar_type(std::max(a->scalar, b->scalar));
  }
  const auto promoted = [](Scalar scalar) { return scalar < Scalar::i32 ? Scalar::i32 : scalar; };
  return scalar_type(std::max(promoted(a->scalar), promoted(b->scalar)));
}

ExprRef binary(Op op, ExprRef left, ExprRef right) {
  Expr expr;
  expr.kind = Expr::Kind::binary;
  expr.op = op;
  expr.line = line_of(left);
  if (compares(op))
    expr.type = bool_type();
  else if (op == Op::shift_left || op == Op::shift_right)
    expr.type = common_type(left->type, int_type());
  else if (op == Op::comma)
    expr.type = right->type;
  else if (is_array(left->type))
    expr.type = pointer_to(left->type->element);
  else if (is_pointer(right->type) && !is_pointer(left->type))
    expr.type = right->type;
  else
    expr.type = common_type(left->type, right->type);
  expr.args = {std::move(left), std::move(right)};
  return made(std::move(expr));
}

ExprRef assign(ExprRef place, ExprRef value, Op op) {
  Expr expr;
  expr.kind = Expr::Kind::assign;
  expr.op = op;
  expr.line = line_of(place);
  expr.type = place->type;
  expr.args = {std::move(place), std::move(value)};
  return made(std::move(expr));
}

ExprRef cast(TypeRef type, ExprRef value) {
  if (same_type(type, value->type)) return value;
  Expr expr;
  expr.kind = Expr::Kind::cast;
  expr.line = line_of(value);
  expr.type = std::move(type);
  expr.args = {std::move(value)};
  return made(std::move(expr));
}

ExprRef conditional(ExprRef condition, ExprRef yes, ExprRef no) {
  Expr expr;
  expr.kind = Expr::Kind::conditional;
  expr.line = line_of(condition);
  expr.type = yes->type;
  expr.args = {std::move(condition), std::move(yes), std::move(no)};
  return made(std::move(expr));
}

ExprRef subscript(ExprRef base, ExprRef position) {
  ASSERT(base->type && base->type->element);
  Expr expr;
  expr.kind = Expr::Kind::subscript;
  expr.line = line_of(base);
  expr.type = base->type->element;
  expr.args = {std::move(base), std::move(position)};
  return made(std::move(expr));
}

ExprRef intrinsic(std::string name, TypeRef type, std::vector<ExprRef> args, int line) {
  Expr expr;
  expr.kind = Expr::Kind::intrinsic;
  expr.name = std::move(name);
  expr.type = std::move(type);
  expr.args = std::move(args);
  expr.line = line;
  return made(std::move(expr));
}

ExprRef thread_element(const VariableRef& array, ExprRef thread) {
  Expr expr;
  expr.kind = Expr::Kind::thread_element;
  expr.type = array->type;
  expr.variable = array;
  expr.args = {std::move(thread)};
  return made(std::move(expr));
}

StmtRef block(Stmts body) {
  Stmt stmt;
  stmt.kind = Stmt::Kind::block;
  stmt.body = std::move(body);
  return made(std::move(stmt));
}

StmtRef declare(const VariableRef& variable, ExprRef value) {
  Stmt stmt;
  stmt.kind = Stmt::Kind::declare;
  stmt.variable = variable;
  stmt.value = std::move(value);
  stmt.line = variable->line;
  return made(std::move(stmt));
}

StmtRef evaluate(ExprRef value) {
  Stmt stmt;
  stmt.kind = Stmt::Kind::evaluate;
  stmt.line = line_of(value);
  stmt.value = std::move(value);
  return made(std::move(stmt));
}

StmtRef branch(ExprRef condition, Stmts yes, Stmts no) {
  Stmt stmt;
  stmt.kind = Stmt::Kind::branch;
  stmt.line = line_of(condition);
  stmt.value = std::move(condition);
  stmt.body = std::move(yes);
  stmt.other = std::move(no);
  return made(std::move(stmt));
}

StmtRef thread_loop(Stmts body, ExprRef mask) {
  Stmt stmt;
  stmt.kind = Stmt::Kind::thread_loop;
  stmt.value = std::move(mask);
  stmt.body = std::move(body);
  return made(std::move(stmt));
}

StmtRef barrier(int line) {
  Stmt stmt;
  stmt.kind = Stmt::Kind::barrier;
  stmt.line = line;
  return made(std::move(stmt));
}

VariableRef make_variable(std::string name, TypeRef type, Storage storage) {
  auto variable = std::make_shared<Variable>();
  variable->name = std::move(name);
  variable->type = std::move(type);
  variable->storage = storage;
  return variable;
}

Names::Names(const Function& function) {
  for (const auto& param : function.params) take(param->name);
  for_each_stmt(function.body, [&](const Stmt& stmt) {
    if (stmt.variable) take(stmt.variable->name);
  });
  for_each_expr(function.body, [&](const Expr& expr) {
    if (expr.variable) take(expr.variable->name);
    if (expr.function) take(expr.function->name);
  });
}

void Names::take(const std::string& name) {
  taken_.push_back(name);
}

std::string Names::fresh(const std::string& base) {
  std::string name = base;
  for (int n = 2; std::find(taken_.begin(), taken_.end(), name) != taken_.end(); ++n)
    name = base + "_" + std::to_string(n);
  taken_.push_back(name);
  return name;
}

bool Kernel::refused() const {
  return std::any_of(remarks.begin(), remarks.end(),
                     [](const Remark& remark) { return remark.severity == Remark::Severity::refusal; });
}

}  // namespace tqm::port::ir
