#include "port/emit/bang/tier.hpp"

#include <algorithm>
#include <cmath>

#include "port/emit/bang/fragments.hpp"
#include "port/emit/bang/spaces.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::Stmts;

namespace {

constexpr double kUnknownLength = 64;
constexpr double kThreads = 256;

class Counter {
 public:
  explicit Counter(const ir::Function& entry) : spaces_(entry) { list(entry.body, 1); }
  double vector = 0, scalar = 0, global = 0;
  bool idiom = false;

 private:
  static double length(const Stmt& loop) {
    // for (i = a; i < b; i += c) with constants
    if (loop.kind == Stmt::Kind::for_loop && loop.init && loop.init->value && loop.value &&
        loop.value->kind == Expr::Kind::binary && loop.value->args[1]->kind == Expr::Kind::integer &&
        loop.init->value->kind == Expr::Kind::integer && loop.step && loop.step->kind == Expr::Kind::unary) {
      const auto count = static_cast<double>(loop.value->args[1]->value - loop.init->value->value);
      return std::max(1.0, std::abs(count));
    }
    return kUnknownLength;
  }

  // Places in memory that a scalar operation reads or writes.
  static bool touches(const ExprRef& given) {
    if (!given) return false;
    if (given->kind == Expr::Kind::unary && given->op == Op::address) return touches_inside(given->args[0]);
    if (given->kind == Expr::Kind::subscript && !ir::is_array(given->type)) return true;
    if (given->kind == Expr::Kind::unary && given->op == Op::dereference) return true;
    return touches_inside(given);
  }
  static bool touches_inside(const ExprRef& given) {
    return std::any_of(given->args.begin(), given->args.end(), touches);
  }

  // Counting and addressing are no work on data: integers that no place in memory is read or written with.
  void statement(const ExprRef& given, double times) {
    if (!given) return;
    const bool data = ir::any_expr(given, [](const Expr& node) {
      return ir::is_floating(node.type) || node.kind == Expr::Kind::call || node.kind == Expr::Kind::intrinsic;
    });
    if (data || touches(given)) expr(given, times, false);
  }

  // of_address: what is computed is a number of bytes, elements or a place.
  void expr(const ExprRef& given, double times, bool of_address) {
    const Expr& node = *given;
    bool inside = of_address;
    const bool integer = node.type && (ir::is_integer(node.type) || ir::is_pointer(node.type));
    switch (node.kind) {
      case Expr::Kind::intrinsic:
        if (node.name.starts_with("bang.")) {
          vector += times * static_cast<double>(std::max<std::int64_t>(node.value, 1));
          idiom = idiom || node.name == "bang.__bang_matmul";
          inside = true;
        } else if (is_fragment_helper(node.name)) {
          const bool product = node.name == "fragment_multiply";
          // Once a warp, where the loop around it counts threads.
          vector += times * static_cast<double>(product ? kFragmentProduct : kFragmentWork);
          idiom = idiom || product;
          inside = true;
        } else if (!of_address || !integer) {
          scalar += (node.name == "min" || node.name == "max") && integer ? 0 : times;
        }
        break;
      case Expr::Kind::call:
        scalar += 8 * times;
        break;
      case Expr::Kind::binary:
      case Expr::Kind::assign:
      case Expr::Kind::conditional:
        if (!of_address || !integer) scalar += times;
        break;
      case Expr::Kind::subscript:
        if (spaces_.of_place(given) != Space::on_chip && !ir::is_array(node.type)) global += times;
        expr(node.args[0], times, of_address);
        expr(node.args[1], times, true);
        return;
      case Expr::Kind::unary:
        if (node.op == Op::address && node.args[0]->kind == Expr::Kind::subscript) {
          for (const auto& arg : node.args[0]->args) expr(arg, times, true);
          return;
        }
        if (node.op == Op::dereference) global += times;
        if ((node.op < Op::dereference || node.op > Op::address) && (!of_address || !integer)) scalar += times;
        break;
      default:
        break;
    }
    for (const auto& arg : node.args) expr(arg, times, inside);
  }

  static bool compares_pointers(const ExprRef& given) {
    if (!given || given->kind != Expr::Kind::binary) return false;
    if (given->op == Op::logical_and) return compares_pointers(given->args[0]) && compares_pointers(given->args[1]);
    return given->op == Op::not_equal && ir::is_pointer(given->args[0]->type) && ir::is_pointer(given->args[1]->type);
  }

  void list(const Stmts& stmts, double times) {
    for (const auto& stmt : stmts) {
      double inner = times;
      if (stmt->kind == Stmt::Kind::thread_loop && !stmt->unrolled) inner = times * kThreads;
      if (stmt->kind == Stmt::Kind::for_loop || stmt->kind == Stmt::Kind::while_loop ||
          stmt->kind == Stmt::Kind::do_loop)
        inner = times * length(*stmt);
      if (stmt->init) list({stmt->init}, times);
      statement(stmt->value, inner);
      statement(stmt->step, inner);
      list(stmt->body, inner);
      // Where pointers that should differ are equal: the exception.
      if (!compares_pointers(stmt->value)) list(stmt->other, inner);
    }
  }
  Spaces spaces_;
};

}  // namespace

Tier tier_of(const ir::Function& entry) {
  const Counter work(entry);
  const double all = work.vector + work.scalar + work.global;
  const double share = all > 0 ? work.vector / all : 0;
  if (share >= 0.95) {
    if (work.idiom) return {'A', "matrix unit", share};
    return {'B', "vector calls do the work", share};
  }
  if (work.global > 0) return {'D', "scalar loads and stores on GDRAM", share};
  return {'C', "scalar work on NRAM", share};
}

}  // namespace tqm::port::emit
