#include "port/emit/bang/index_divisor.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "port/ir/build.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Index;
using ir::Op;
using ir::Stmt;
using ir::Storage;

namespace {

// Takes the factor out of the list where it is there.
bool take(std::vector<ExprRef>& factors, const ExprRef& factor) {
  const auto found =
      std::find_if(factors.begin(), factors.end(), [&](const ExprRef& other) { return ir::same_expr(other, factor); });
  if (found == factors.end()) return false;
  factors.erase(found);
  return true;
}

}  // namespace

IndexDivisor common_divisor(const IndexDivisor& a, const IndexDivisor& b) {
  IndexDivisor common{std::gcd(a.number, b.number), {}};
  std::vector<ExprRef> rest = b.factors;
  for (const auto& factor : a.factors)
    if (take(rest, factor)) common.factors.push_back(factor);
  return common;
}

bool divides(const IndexDivisor& part, const IndexDivisor& whole) {
  if (whole.number % part.number != 0) return false;
  std::vector<ExprRef> rest = whole.factors;
  return std::all_of(part.factors.begin(), part.factors.end(),
                     [&](const ExprRef& factor) { return take(rest, factor); });
}

ExprRef product_of(const IndexDivisor& divisor) {
  ExprRef product = divisor.number == 1 && !divisor.factors.empty() ? nullptr : ir::integer(divisor.number);
  for (const auto& factor : divisor.factors) product = product ? ir::binary(Op::multiply, product, factor) : factor;
  return product;
}

IndexDivisions::IndexDivisions(const ir::Stmts& body, const Constants& constants) : body_(body), constants_(constants) {
  for (const auto& variable : ir::written(body)) written_.insert(variable);
  ir::for_each_stmt(body, [&](const Stmt& stmt) {
    if (stmt.kind == Stmt::Kind::declare && stmt.value && ir::is_integer(stmt.variable->type) &&
        !written_.contains(stmt.variable))
      values_[stmt.variable] = stmt.value;
  });
  ir::for_each_expr(body, [&](const Expr& expr) {
    if (expr.variable) used_.insert(expr.variable);
  });
}

// The expression without the body's own variables; none where it is not the same in all threads.
ExprRef IndexDivisions::known_before(const ExprRef& expr) const {
  switch (expr->kind) {
    case Expr::Kind::integer:
      return expr;
    case Expr::Kind::index:
      return expr->index >= Index::block_dim_x && expr->index <= Index::grid_dim_z ? expr : nullptr;
    case Expr::Kind::variable: {
      if (written_.contains(expr->variable)) return nullptr;
      if (expr->variable->storage == Storage::parameter) return expr;
      const auto value = values_.find(expr->variable);
      return value == values_.end() ? nullptr : known_before(value->second);
    }
    case Expr::Kind::cast:
    case Expr::Kind::binary:
    case Expr::Kind::member: {
      if (!ir::is_integer(expr->type) && expr->kind != Expr::Kind::member) return nullptr;
      std::vector<ExprRef> args;
      for (const auto& arg : expr->args) {
        args.push_back(known_before(arg));
        if (!args.back()) return nullptr;
      }
      return ir::copy_with_args(expr, std::move(args));
    }
    default:
      return nullptr;
  }
}

std::optional<IndexDivisor> IndexDivisions::resolved(const ExprRef& expr) const {
  if (const auto number = constant_of(expr, constants_)) {
    if (*number < 1) return std::nullopt;
    return IndexDivisor{*number, {}};
  }
  if (expr->kind == Expr::Kind::cast && ir::is_integer(expr->args[0]->type) && ir::size_of(expr->type) >= 4)
    return resolved(expr->args[0]);
  if (expr->kind == Expr::Kind::variable) {
    const auto value = values_.find(expr->variable);
    if (value != values_.end()) return resolved(value->second);
  }
  if (expr->kind == Expr::Kind::binary && expr->op == Op::multiply) {
    auto a = resolved(expr->args[0]);
    const auto b = resolved(expr->args[1]);
    if (!a || !b) return std::nullopt;
    a->number *= b->number;
    a->factors.insert(a->factors.end(), b->factors.begin(), b->factors.end());
    return a;
  }
  const ExprRef factor = known_before(expr);
  if (!factor) return std::nullopt;
  return IndexDivisor{1, {factor}};
}

std::optional<IndexDivisor> IndexDivisions::divisor_of(const Expr& expr) const {
  if (expr.kind != Expr::Kind::binary || !ir::is_integer(expr.type)) return std::nullopt;
  if (expr.op == Op::divide || expr.op == Op::remainder) return resolved(expr.args[1]);
  const auto right = constant_of(expr.args[1], constants_);
  if (!right || *right < 0) return std::nullopt;
  if (expr.op == Op::shift_right && *right < 31) return IndexDivisor{std::int64_t{1} << *right, {}};
  if (expr.op == Op::bit_and && *right > 0 && (*right & (*right + 1)) == 0) return IndexDivisor{*right + 1, {}};
  return std::nullopt;
}

std::optional<IndexDivisor> IndexDivisions::common() const {
  std::optional<IndexDivisor> common;
  const auto see = [&](const ExprRef& given) {
    ir::for_each_expr(given, [&](const Expr& expr) {
      const auto by = divisor_of(expr);
      if (by && !by->is_one() && moves(expr.args[0])) common = common ? common_divisor(*common, *by) : *by;
    });
  };
  ir::for_each_stmt(body_, [&](const Stmt& stmt) {
    if (stmt.kind == Stmt::Kind::declare && !used_.contains(stmt.variable)) return;
    see(stmt.value);
    see(stmt.step);
  });
  return common;
}

// From lane to lane within a segment, where quotients stay.
bool IndexDivisions::moves(const ExprRef& expr) const {
  if (expr->kind == Expr::Kind::index)
    return expr->index == Index::thread_x || expr->index == Index::place_x || expr->index == Index::thread_linear;
  if (expr->kind == Expr::Kind::variable) {
    const auto value = values_.find(expr->variable);
    return value != values_.end() && moves(value->second);
  }
  if (expr->kind == Expr::Kind::subscript || expr->kind == Expr::Kind::member) return false;
  if (const auto by = divisor_of(*expr); by && !by->is_one() && gives_quotient(expr->op)) return false;
  return std::any_of(expr->args.begin(), expr->args.end(), [&](const ExprRef& arg) { return moves(arg); });
}

}  // namespace tqm::port::emit
