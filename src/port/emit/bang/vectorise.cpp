#include "port/emit/bang/vectorise.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "port/emit/bang/row_vectoriser.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Index;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;
using ir::VariableRef;

namespace {

const Expr* bare(const ExprRef& expr) {
  const Expr* at = expr.get();
  while (at->kind == Expr::Kind::cast && ir::is_integer(at->type) && ir::size_of(at->type) >= 4) at = at->args[0].get();
  return at;
}

bool is_index(const ExprRef& expr, Index which) {
  const Expr* at = bare(expr);
  return at->kind == Expr::Kind::index && at->index == which;
}

// block_x * block_dim_x + thread_x, in any order and through casts between integers, becomes place_x.
ExprRef with_place(const ExprRef& expr, int block_x) {
  const auto start = [&](const ExprRef& side) {
    const Expr* product = bare(side);
    if (product->kind != Expr::Kind::binary || product->op != Op::multiply) return false;
    const auto width = [&](const ExprRef& factor) {
      const Expr* at = bare(factor);
      return is_index(factor, Index::block_dim_x) ||
             (block_x > 0 && at->kind == Expr::Kind::integer && at->value == block_x);
    };
    return (is_index(product->args[0], Index::block_x) && width(product->args[1])) ||
           (is_index(product->args[1], Index::block_x) && width(product->args[0]));
  };
  return ir::rewrite(expr, [&](const ExprRef& node) -> ExprRef {
    if (node->kind != Expr::Kind::binary || node->op != Op::add) return node;
    if ((start(node->args[0]) && is_index(node->args[1], Index::thread_x)) ||
        (start(node->args[1]) && is_index(node->args[0], Index::thread_x)))
      return ir::cast(node->type, ir::index(Index::place_x));
    return node;
  });
}

bool mentions_index(const Stmts& stmts, std::initializer_list<Index> which) {
  return ir::any_expr(stmts, [&](const Expr& expr) {
    return expr.kind == Expr::Kind::index && std::find(which.begin(), which.end(), expr.index) != which.end();
  });
}

class Driver {
 public:
  Driver(const passes::TaskForm& form, bool flat_blocks, int block_x)
      : form_(form), names_(form.entry), flat_blocks_(flat_blocks), block_x_(block_x) {
    result_.entry = form.entry;
  }

  std::optional<VectorForm> merged() {
    if (form_.meets || !form_.shared.empty() || !form_.thread_arrays.empty()) return std::nullopt;
    Stmts body;
    for (const auto& stmt : form_.entry.body) {
      if (stmt->kind == Stmt::Kind::thread_loop) {
        if (stmt->value) return std::nullopt;
        body.insert(body.end(), stmt->body.begin(), stmt->body.end());
      } else if (stmt->kind == Stmt::Kind::declare || stmt->kind == Stmt::Kind::evaluate) {
        body.push_back(stmt);
      } else {
        return std::nullopt;
      }
    }
    body = placed(body);
    if (mentions_index(body, {Index::thread_x, Index::block_x, Index::thread_linear, Index::lane})) return std::nullopt;
    if (!mentions_index(body, {Index::place_x})) return std::nullopt;
    RowVectoriser rows(result_.entry, names_, result_.lanes, true, flat_blocks_);
    const auto first = ir::make_variable("tile_first", ir::uint_type());
    const auto count = ir::make_variable("tile_count", ir::int_type());
    auto made = rows.row(body, ir::use(first), ir::use(count));
    if (!made) return std::nullopt;
    result_.merged = true;
    result_.entry.body = std::move(*made);
    return std::move(result_);
  }

  std::optional<VectorForm> by_block() {
    RowVectoriser rows(result_.entry, names_, result_.lanes, false, flat_blocks_);
    bool any = false;
    const std::function<Stmts(const Stmts&)> visit = [&](const Stmts& stmts) {
      Stmts out;
      for (const auto& stmt : stmts) {
        if (stmt->kind != Stmt::Kind::thread_loop) {
          Stmt copy = *stmt;
          copy.body = visit(stmt->body);
          copy.other = visit(stmt->other);
          out.push_back(std::make_shared<const Stmt>(std::move(copy)));
          continue;
        }
        const std::size_t lanes = result_.lanes.size();
        auto made = stmt->value
                        ? std::nullopt
                        : rows.row(stmt->body, nullptr, ir::cast(ir::int_type(), ir::index(Index::block_dim_x)));
        if (!made) {
          result_.lanes.resize(lanes);
          out.push_back(stmt);
          continue;
        }
        any = true;
        Stmt row;
        row.kind = Stmt::Kind::thread_loop;
        row.comments = stmt->comments;
        row.unrolled = true;  // one pass a row: the emitter prints no loop over thread_x
        row.body = std::move(*made);
        out.push_back(std::make_shared<const Stmt>(std::move(row)));
      }
      return out;
    };
    result_.entry.body = visit(form_.entry.body);
    if (!any) return std::nullopt;
    return std::move(result_);
  }

 private:
  Stmts placed(const Stmts& stmts) const {
    Stmts out;
    for (const auto& stmt : stmts) {
      Stmt copy = *stmt;
      if (stmt->value) copy.value = with_place(stmt->value, block_x_);
      if (stmt->step) copy.step = with_place(stmt->step, block_x_);
      if (stmt->init) copy.init = placed({stmt->init}).front();
      copy.body = placed(stmt->body);
      copy.other = placed(stmt->other);
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    return out;
  }

  const passes::TaskForm& form_;
  ir::Names names_;
  bool flat_blocks_;
  int block_x_;
  VectorForm result_;
};

}  // namespace

std::optional<VectorForm> vectorise(const passes::TaskForm& form, bool flat_blocks, int block_x) {
  if (auto merged = Driver(form, flat_blocks, block_x).merged()) return merged;
  return Driver(form, flat_blocks, block_x).by_block();
}

}  // namespace tqm::port::emit
