// Loops inside a thread as vector calls over their iterations, in pieces of kTile.
#include <map>
#include <optional>
#include <utility>

#include "port/emit/bang/iteration_loop.hpp"
#include "port/emit/bang/row_vectoriser.hpp"
#include "port/emit/bang/vectorise.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Index;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;

namespace {

bool calls_vectors(const Stmts& stmts) {
  return ir::any_expr(
      stmts, [](const Expr& node) { return node.kind == Expr::Kind::intrinsic && node.name.starts_with("bang."); });
}

class LoopDriver {
 public:
  LoopDriver(const passes::TaskForm& form, bool flat_blocks) : names_(form.entry), flat_(flat_blocks) {
    result_.entry = form.entry;
    result_.chunked = true;
    result_.entry.body = arrays_on_chip(form.entry.body);
    constants_ = constants_in(result_.entry.body);
    origins_ = origins_in(result_.entry.body);
  }

  std::optional<VectorForm> run() {
    const ir::Function whole = result_.entry;
    rows_.emplace(whole, names_, result_.lanes, true, flat_);
    result_.entry.body = visit(whole.body);
    if (!any_) return std::nullopt;
    return std::move(result_);
  }

 private:
  Stmts visit(const Stmts& stmts) {
    Stmts out;
    for (const auto& stmt : stmts) {
      Stmt copy = *stmt;
      const bool before = any_;
      any_ = false;
      copy.body = visit(stmt->body);
      copy.other = visit(stmt->other);
      const bool inside = any_;
      any_ = before || inside;
      if (!inside && stmt->kind == Stmt::Kind::for_loop) {
        if (auto made = in_pieces(*stmt)) {
          any_ = true;
          for (auto& one : *made) out.push_back(std::move(one));
          continue;
        }
      }
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    return out;
  }

  // Arrays of floats that a thread declares without a value move to NRAM, one for all threads, which take turns.
  Stmts arrays_on_chip(const Stmts& stmts) {
    std::map<ir::VariableRef, ir::VariableRef> moved;
    ir::for_each_stmt(stmts, [&](const Stmt& stmt) {
      if (stmt.kind != Stmt::Kind::declare || stmt.value || stmt.variable->storage != ir::Storage::local ||
          !ir::is_array(stmt.variable->type) || !ir::is_floating(stmt.variable->type->element))
        return;
      auto on_chip = std::make_shared<ir::Variable>(*stmt.variable);
      on_chip->storage = ir::Storage::shared;
      moved[stmt.variable] = on_chip;
      result_.arrays.push_back(on_chip);
    });
    if (moved.empty()) return stmts;
    const Stmts renamed = ir::rewrite_exprs(stmts, [&](const ExprRef& node) -> ExprRef {
      const auto found = node->kind == Expr::Kind::variable ? moved.find(node->variable) : moved.end();
      return found == moved.end() ? node : ir::use(found->second);
    });
    return ir::rewrite_stmts(renamed, [&](const StmtRef& stmt) -> Stmts {
      if (stmt->kind == Stmt::Kind::declare && moved.contains(stmt->variable)) return {};
      return {stmt};
    });
  }

  std::optional<Stmts> in_pieces(const Stmt& loop) {
    const auto found = as_iterations(loop, constants_, origins_);
    if (!found) return std::nullopt;
    const auto piece = ir::make_variable(names_.fresh(found->counter->name + "_first"), ir::int_type());
    const auto end =
        ir::make_variable(names_.fresh(found->counter->name + "_end"), ir::with_constant(ir::int_type(), true));
    const auto count = ir::make_variable(names_.fresh("count"), ir::with_constant(ir::int_type(), true));
    const auto tile = ir::use(ir::make_variable("kTile", ir::int_type(), ir::Storage::parameter));
    const Stmts body = ir::rewrite_exprs(found->body, [&](const ExprRef& node) -> ExprRef {
      if (node->kind != Expr::Kind::variable || node->variable != found->counter) return node;
      return ir::cast(ir::with_constant(node->type, false), ir::index(Index::place_x));
    });
    rows_->set_iterations(found->times);
    auto made = rows_->row(body, ir::cast(ir::uint_type(), ir::use(piece)), ir::use(count));
    if (!made || !calls_vectors(*made)) return std::nullopt;
    Stmt pieces;
    pieces.kind = Stmt::Kind::for_loop;
    pieces.line = loop.line;
    pieces.init = ir::declare(piece, ir::cast(ir::int_type(), found->first));
    pieces.value = ir::binary(Op::less, ir::use(piece), ir::use(end));
    pieces.step = ir::assign(ir::use(piece), tile, Op::add);
    const ExprRef left = ir::binary(Op::subtract, ir::use(end), ir::use(piece));
    pieces.body.push_back(ir::declare(count, ir::conditional(ir::binary(Op::less, left, tile), left, tile)));
    for (auto& one : *made) pieces.body.push_back(std::move(one));
    auto bound = std::make_shared<Stmt>(*ir::declare(end, found->end));
    bound->comments = loop.comments;
    Stmts made_loop{bound, std::make_shared<const Stmt>(std::move(pieces))};
    ExprRef differ;
    for (const auto& [a, b] : found->different) {
      const ExprRef one = ir::binary(Op::not_equal, ir::use(a), ir::use(b));
      differ = differ ? ir::binary(Op::logical_and, differ, one) : one;
    }
    if (!differ) return made_loop;
    return Stmts{ir::branch(differ, std::move(made_loop), {std::make_shared<const Stmt>(loop)})};
  }

  std::optional<RowVectoriser> rows_;  // one for all loops, which use its vectors in turn
  ir::Names names_;
  bool flat_;
  Constants constants_;
  Origins origins_;
  VectorForm result_;
  bool any_ = false;
};

}  // namespace

std::optional<VectorForm> vectorise_loops(const passes::TaskForm& form, bool flat_blocks) {
  return LoopDriver(form, flat_blocks).run();
}

}  // namespace tqm::port::emit
