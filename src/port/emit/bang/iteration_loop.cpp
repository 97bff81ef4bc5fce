#include "port/emit/bang/iteration_loop.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "port/ir/build.hpp"
#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;
using ir::Storage;
using ir::VariableRef;

namespace {

constexpr std::int64_t kFewest = 8;  // iterations that are worth a vector

const ExprRef& bare(const ExprRef& expr) {
  const ExprRef* at = &expr;
  while ((*at)->kind == Expr::Kind::cast) at = &(*at)->args[0];
  return *at;
}

bool reads_memory(const ExprRef& expr) {
  return ir::any_expr(expr, [](const Expr& node) {
    return node.kind == Expr::Kind::subscript || node.kind == Expr::Kind::call ||
           (node.kind == Expr::Kind::unary && node.op == Op::dereference);
  });
}

bool is_place(const Expr& expr) {
  return expr.kind == Expr::Kind::subscript || (expr.kind == Expr::Kind::unary && expr.op == Op::dereference) ||
         expr.kind == Expr::Kind::member;
}

class Body {
 public:
  Body(const Stmts& body, VariableRef counter, const Origins& origins)
      : body_(body), counter_(std::move(counter)), origins_(origins) {
    moving_.insert(counter_);
    ir::for_each_stmt(body, [&](const Stmt& stmt) {
      if (stmt.kind == Stmt::Kind::declare) inside_.insert(stmt.variable);
    });
    for (const auto& variable : ir::written(body)) written_.insert(variable);
    bool more = true;
    while (more) {
      const std::size_t before = moving_.size();
      ir::for_each_stmt(body, [&](const Stmt& stmt) {
        if (stmt.kind == Stmt::Kind::declare && stmt.value && moves(stmt.value)) moving_.insert(stmt.variable);
      });
      for (const auto& variable : inside_)
        if (written_.contains(variable)) moving_.insert(variable);
      more = moving_.size() != before;
    }
  }

  std::optional<Stmts> gathered() {
    Stmts out = list(body_);
    if (!good_ || !apart()) return std::nullopt;
    return out;
  }

  const std::vector<std::pair<VariableRef, VariableRef>>& different() const { return different_; }

  bool changes(const ExprRef& expr) const {
    return ir::any_expr(expr, [&](const Expr& node) { return node.variable && written_.contains(node.variable); });
  }

 private:
  bool moves(const ExprRef& expr) const {
    return ir::any_expr(expr, [&](const Expr& node) { return node.variable && moving_.contains(node.variable); });
  }

  Stmts list(const Stmts& stmts) {
    Stmts out;
    for (const auto& stmt : stmts) out.push_back(statement(stmt));
    return out;
  }

  StmtRef statement(const StmtRef& stmt) {
    switch (stmt->kind) {
      case Stmt::Kind::declare:
        if (stmt->value) read(stmt->value);
        if (stmt->value && ir::has_effects(stmt->value)) good_ = false;
        return stmt;
      case Stmt::Kind::block: {
        Stmt copy = *stmt;
        copy.body = list(stmt->body);
        return std::make_shared<const Stmt>(std::move(copy));
      }
      case Stmt::Kind::branch: {
        if (ir::has_effects(stmt->value)) good_ = false;
        if (const auto made = chosen(*stmt)) return made;
        read(stmt->value);
        Stmt copy = *stmt;
        copy.body = list(stmt->body);
        copy.other = list(stmt->other);
        return std::make_shared<const Stmt>(std::move(copy));
      }
      case Stmt::Kind::evaluate:
        return evaluated(stmt);
      default:
        good_ = false;
        return stmt;
    }
  }

  StmtRef evaluated(const StmtRef& stmt) {
    const Expr& expr = *stmt->value;
    if (expr.kind != Expr::Kind::assign || ir::has_effects(expr.args[1])) {
      good_ = false;
      return stmt;
    }
    const ExprRef& place = expr.args[0];
    const auto root = ir::root_variable(place);
    if (root && inside_.contains(root) && !ir::is_pointer(root->type)) {
      read(expr.args[1]);
      if (place->kind != Expr::Kind::variable) good_ = false;  // an array of the iteration
      return stmt;
    }
    ExprRef value = expr.args[1];
    if (expr.op != Op::none) value = ir::cast(ir::with_constant(expr.type, false), ir::binary(expr.op, place, value));
    if (auto made = sum_or_extreme(place, value, stmt)) return made;
    if (place->kind == Expr::Kind::variable || !moves(place)) {
      good_ = false;
      return stmt;
    }
    stores_.push_back(place);
    for (const auto& arg : place->args) read(arg);
    read(expr.op == Op::none ? expr.args[1] : value);
    return stmt;
  }

  // acc = acc + e, acc = max(acc, e), …
  StmtRef sum_or_extreme(const ExprRef& place, const ExprRef& given, const StmtRef& stmt) {
    if (moves(place) || ir::has_effects(place) || !ir::is_scalar(place->type) || place->type->scalar != ir::Scalar::f32)
      return nullptr;
    const ExprRef& value = bare(given);
    const char* name = nullptr;
    if (value->kind == Expr::Kind::binary && value->op == Op::add) name = "gather.add";
    if (value->kind == Expr::Kind::intrinsic && value->name == "fmax") name = "gather.max";
    if (value->kind == Expr::Kind::intrinsic && value->name == "fmin") name = "gather.min";
    if (name == nullptr || !ir::same_type(value->type, place->type)) return nullptr;
    for (std::size_t side = 0; side < 2; ++side) {
      if (!ir::same_expr(bare(value->args[side]), place) || !ir::same_type(value->args[side]->type, place->type))
        continue;
      return gather(name, place, value->args[1 - side], stmt);
    }
    return nullptr;
  }

  // if (e > acc) acc = e;
  StmtRef chosen(const Stmt& stmt) {
    if (!stmt.other.empty() || stmt.body.size() != 1 || stmt.value->kind != Expr::Kind::binary) return nullptr;
    const Stmt& inner = *stmt.body[0];
    if (inner.kind != Stmt::Kind::evaluate || inner.value->kind != Expr::Kind::assign || inner.value->op != Op::none)
      return nullptr;
    const ExprRef &place = inner.value->args[0], &value = inner.value->args[1];
    if (moves(place) || !ir::is_scalar(place->type) || place->type->scalar != ir::Scalar::f32) return nullptr;
    const Expr& test = *stmt.value;
    const bool greater = test.op == Op::greater || test.op == Op::greater_equal;
    const bool less = test.op == Op::less || test.op == Op::less_equal;
    if (!greater && !less) return nullptr;
    const bool direct = ir::same_expr(test.args[0], value) && ir::same_expr(test.args[1], place);
    const bool turned = ir::same_expr(test.args[1], value) && ir::same_expr(test.args[0], place);
    if (!direct && !turned) return nullptr;
    return gather(greater == direct ? "gather.largest" : "gather.smallest", place, value,
                  std::make_shared<const Stmt>(stmt));
  }

  StmtRef gather(const char* name, const ExprRef& place, const ExprRef& value, const StmtRef& stmt) {
    const auto root = ir::root_variable(place);
    if (!root || ir::has_effects(value) || ir::uses(value, root)) return nullptr;
    gathered_.push_back(root);
    gathered_places_.push_back(place);
    read(value);
    auto made = std::make_shared<Stmt>(*ir::evaluate(ir::intrinsic(name, ir::void_type(), {place, value}, stmt->line)));
    made->comments = stmt->comments;
    made->line = stmt->line;
    return made;
  }

  void read(const ExprRef& expr) {
    if (!expr) return;
    if (expr->kind == Expr::Kind::unary && expr->op == Op::address) {
      good_ = good_ &&
              !ir::any_expr(expr, [&](const Expr& node) { return node.variable && inside_.contains(node.variable); });
      return;
    }
    if (expr->kind == Expr::Kind::intrinsic && !ir::is_pure(expr->name)) good_ = false;
    if (expr->kind == Expr::Kind::call) good_ = false;
    if (expr->kind == Expr::Kind::variable) reads_variables_.push_back(expr->variable);
    if (is_place(*expr)) loads_.push_back(expr);
    for (const auto& arg : expr->args) read(arg);
  }

  // No iteration reads or writes what another one writes.
  bool apart() {
    for (const auto& root : gathered_) {
      if (std::count(gathered_.begin(), gathered_.end(), root) != 1) return false;
      if (std::find(reads_variables_.begin(), reads_variables_.end(), root) != reads_variables_.end()) return false;
    }
    for (const auto& place : gathered_places_)
      if (place->kind != Expr::Kind::variable) {
        const auto root = ir::root_variable(place);
        for (const auto& store : stores_)
          if (ir::root_variable(store) == root) return false;
        for (const auto& load : loads_)
          if (!separate(place, load)) return false;
      }
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      for (const auto& load : loads_)
        if (!separate(stores_[i], load)) return false;
      for (std::size_t j = 0; j < i; ++j)
        if (!separate(stores_[i], stores_[j])) return false;
    }
    return true;
  }

  static const ExprRef& index_of(const ExprRef& place) {
    static const ExprRef none;
    return place->kind == Expr::Kind::subscript ? place->args[1] : none;
  }

  VariableRef origin_of(const VariableRef& variable) const {
    const auto found = origins_.find(variable);
    if (found != origins_.end()) return found->second;
    const bool own_name = variable->storage != Storage::local || !ir::is_pointer(variable->type);
    return own_name ? variable : nullptr;
  }

  // Never one place in two iterations.
  bool separate(const ExprRef& store, const ExprRef& other) {
    if (ir::same_expr(store, other)) return true;
    const auto root_a = ir::root_variable(store), root_b = ir::root_variable(other);
    if (!root_a || !root_b) return false;
    const auto a = origin_of(root_a), b = origin_of(root_b);
    if (!a || !b || a == b) return false;
    // Of arrays and variables with names of their own, only pointers into them reach the other: those have origins.
    if (!ir::is_pointer(a->type) || !ir::is_pointer(b->type)) return true;
    if (a->restrict_pointer || b->restrict_pointer || b->type->element->constant) return true;
    const ExprRef &i = index_of(store), &j = index_of(other);
    if (root_a == a && root_b == b && i && j && ir::same_expr(i, j)) return true;
    if (a->storage != Storage::parameter || b->storage != Storage::parameter) return false;
    if (std::find(different_.begin(), different_.end(), std::pair{a, b}) == different_.end())
      different_.emplace_back(a, b);
    return true;
  }

  const Stmts& body_;
  VariableRef counter_;
  const Origins& origins_;
  std::set<VariableRef> inside_, moving_, written_;
  std::vector<VariableRef> gathered_, reads_variables_;
  std::vector<ExprRef> gathered_places_, stores_, loads_;
  std::vector<std::pair<VariableRef, VariableRef>> different_;
  bool good_ = true;
};

}  // namespace

Origins origins_in(const Stmts& body) {
  Origins origins;
  std::set<VariableRef> written;
  for (const auto& variable : ir::written(body)) written.insert(variable);
  ir::for_each_stmt(body, [&](const Stmt& stmt) {
    if (stmt.kind != Stmt::Kind::declare || !stmt.value || !ir::is_pointer(stmt.variable->type) ||
        written.contains(stmt.variable))
      return;
    const Expr* at = stmt.value.get();
    while (true) {
      if (at->kind == Expr::Kind::cast) {
        at = at->args[0].get();
      } else if (at->kind == Expr::Kind::binary && (at->op == Op::add || at->op == Op::subtract)) {
        at = ir::is_pointer(at->args[0]->type) ? at->args[0].get() : at->args[1].get();
      } else if (at->kind == Expr::Kind::unary && at->op == Op::address && at->args[0]->kind == Expr::Kind::subscript) {
        at = at->args[0]->args[0].get();
      } else {
        break;
      }
    }
    if (at->kind != Expr::Kind::variable) return;
    const auto further = origins.find(at->variable);
    const VariableRef origin = further == origins.end() ? at->variable : further->second;
    if (origin->storage == Storage::parameter || !ir::is_pointer(origin->type)) origins[stmt.variable] = origin;
  });
  return origins;
}

std::optional<IterationLoop> as_iterations(const Stmt& loop, const Constants& constants, const Origins& origins) {
  if (loop.kind != Stmt::Kind::for_loop || !loop.init || loop.init->kind != Stmt::Kind::declare || !loop.init->value ||
      !loop.value || !loop.step)
    return std::nullopt;
  IterationLoop result;
  result.counter = loop.init->variable;
  if (!ir::is_integer(result.counter->type) || ir::size_of(result.counter->type) != 4) return std::nullopt;
  const Expr& step = *loop.step;
  const bool by_one =
      ((step.op == Op::pre_increment || step.op == Op::post_increment) && step.kind == Expr::Kind::unary) ||
      (step.kind == Expr::Kind::assign && step.op == Op::add && constant_of(step.args[1], constants) == 1);
  if (!by_one || step.args[0]->kind != Expr::Kind::variable || step.args[0]->variable != result.counter)
    return std::nullopt;
  const Expr& test = *loop.value;
  if (test.kind != Expr::Kind::binary || (test.op != Op::less && test.op != Op::less_equal)) return std::nullopt;
  const ExprRef& left = bare(test.args[0]);
  if (left->kind != Expr::Kind::variable || left->variable != result.counter) return std::nullopt;
  result.first = loop.init->value;
  result.end = ir::cast(ir::int_type(), test.args[1]);
  if (ir::size_of(test.args[1]->type) > 4) return std::nullopt;
  if (!never_negative(result.first) || ir::has_effects(result.first) || ir::uses(test.args[1], result.counter))
    return std::nullopt;
  if (test.op == Op::less_equal) result.end = ir::binary(Op::add, result.end, ir::integer(1));
  Body body(loop.body, result.counter, origins);
  if (ir::is_written(loop.body, result.counter) || body.changes(test.args[1]) || reads_memory(test.args[1]) ||
      ir::has_effects(test.args[1]))
    return std::nullopt;
  const auto from = constant_of(result.first, constants), to = constant_of(result.end, constants);
  if (from && to) {
    result.times = *to - *from;
    if (*result.times < kFewest) return std::nullopt;
  }
  auto gathered = body.gathered();
  if (!gathered) return std::nullopt;
  result.body = std::move(*gathered);
  result.different = body.different();
  return result;
}

}  // namespace tqm::port::emit
