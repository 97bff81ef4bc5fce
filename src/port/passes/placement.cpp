#include "port/passes/placement.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "port/ir/build.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;
using ir::Storage;
using ir::VariableRef;

namespace {

class Placement {
 public:
  explicit Placement(SplitBody split) : body_(std::move(split.body)), flags_(std::move(split.flags)) {}

  Stmts run(std::vector<VariableRef>& thread_arrays, std::vector<VariableRef>& shared) {
    number_loops(body_);
    find_anew();
    // What a variable is made of is wanted wherever it is computed anew.
    for (auto variable = anew_order_.rbegin(); variable != anew_order_.rend(); ++variable) {
      const std::set<int> loops = loops_[*variable];
      if (loops.size() < 2) continue;
      ir::for_each_expr(anew_.at(*variable)->value, [&](const Expr& node) {
        if (node.variable && anew_.contains(node.variable)) loops_[node.variable].insert(loops.begin(), loops.end());
      });
    }
    for (const auto& [variable, loops] : loops_) {
      const bool crosses = loops.size() > 1 || flags_.contains(variable);
      if (!crosses || anew_.contains(variable) || outside_.contains(variable)) continue;
      if (variable->storage != Storage::local) continue;
      arrays_.insert(variable);
    }
    Stmts out = place(body_);
    for (const auto& variable : order_)
      if (arrays_.contains(variable)) thread_arrays.push_back(variable);
    ir::for_each_stmt(body_, [&](const Stmt& stmt) {
      if (stmt.kind == Stmt::Kind::declare &&
          (stmt.variable->storage == Storage::shared || stmt.variable->storage == Storage::dynamic_shared))
        if (std::find(shared.begin(), shared.end(), stmt.variable) == shared.end()) shared.push_back(stmt.variable);
    });
    ir::for_each_expr(body_, [&](const Expr& expr) {
      if (expr.variable &&
          (expr.variable->storage == Storage::shared || expr.variable->storage == Storage::dynamic_shared))
        if (std::find(shared.begin(), shared.end(), expr.variable) == shared.end()) shared.push_back(expr.variable);
    });
    // Only now: until here they are told apart by storage.
    for (const auto& variable : thread_arrays) {
      variable->storage = Storage::thread_array;
      variable->type = ir::with_constant(variable->type, false);
    }
    return out;
  }

 private:
  void touch(const VariableRef& variable, int loop) {
    if (std::find(order_.begin(), order_.end(), variable) == order_.end()) order_.push_back(variable);
    loops_[variable].insert(loop);
  }

  // Which loops over threads mention a variable; declared outside of all: it is the task's own.
  void number_loops(const Stmts& stmts, int inside = -1) {
    for (const auto& stmt : stmts) {
      int loop = inside;
      if (stmt->kind == Stmt::Kind::thread_loop) loop = next_++;
      if (stmt->kind == Stmt::Kind::declare) {
        if (inside < 0)
          outside_.insert(stmt->variable);
        else
          touch(stmt->variable, inside);
      }
      const auto see = [&](const ExprRef& expr) {
        ir::for_each_expr(expr, [&](const Expr& node) {
          if (node.variable && loop >= 0) touch(node.variable, loop);
        });
      };
      see(stmt->value);
      see(stmt->step);
      if (stmt->init) number_loops({stmt->init}, loop);
      number_loops(stmt->body, loop);
      number_loops(stmt->other, loop);
    }
  }

  // Declared once with a cheap value of indices, parameters and the like: computed anew in each loop that needs it.
  void find_anew() {
    std::map<VariableRef, int> written;
    for (const auto& variable : ir::written(body_)) ++written[variable];
    std::map<VariableRef, int> declared;
    ir::for_each_stmt(body_, [&](const Stmt& stmt) {
      if (stmt.kind == Stmt::Kind::declare) ++declared[stmt.variable];
    });
    bool more = true;
    while (more) {
      more = false;
      const std::function<void(const Stmts&, bool)> visit = [&](const Stmts& stmts, bool top) {
        for (const auto& stmt : stmts) {
          if (stmt->kind == Stmt::Kind::thread_loop) {
            for (const auto& inner : stmt->body) {
              if (inner->kind != Stmt::Kind::declare || !inner->value || anew_.contains(inner->variable)) continue;
              if (written[inner->variable] > 0 || declared[inner->variable] != 1) continue;
              if (ir::is_array(inner->variable->type) || !cheap(inner->value, written)) continue;
              anew_[inner->variable] = inner;
              anew_order_.push_back(inner->variable);
              more = true;
            }
          } else if (stmt->kind != Stmt::Kind::declare) {
            visit(stmt->body, false);
            visit(stmt->other, false);
          }
          (void)top;
        }
      };
      visit(body_, true);
    }
  }
  bool cheap(const ExprRef& expr, std::map<VariableRef, int>& written) const {
    int nodes = 0;
    const bool odd = ir::any_expr(expr, [&](const Expr& node) {
      ++nodes;
      switch (node.kind) {
        case Expr::Kind::integer:
        case Expr::Kind::floating:
        case Expr::Kind::index:
        case Expr::Kind::cast:
        case Expr::Kind::conditional:
          return false;
        case Expr::Kind::binary:
          return node.op == Op::comma;
        case Expr::Kind::unary:
          return node.op == Op::dereference || (node.op >= Op::pre_increment && node.op <= Op::post_decrement) ||
                 (node.op == Op::address && written_address(node));
        case Expr::Kind::subscript:  // only below an address
          return false;
        case Expr::Kind::variable: {
          if (anew_.contains(node.variable)) return false;
          if (node.variable->storage == Storage::parameter) return written[node.variable] > 0;
          if (node.variable->storage == Storage::shared || node.variable->storage == Storage::dynamic_shared ||
              node.variable->storage == Storage::constant || node.variable->storage == Storage::device)
            return !ir::is_array(node.variable->type);
          return !outside_.contains(node.variable) || written[node.variable] > 0;
        }
        case Expr::Kind::intrinsic:
          return !(node.name == "min" || node.name == "max");
        default:
          return true;
      }
    });
    return !odd && nodes <= 24 && !loads(expr, false);
  }
  static bool written_address(const Expr&) { return false; }
  static bool loads(const ExprRef& expr, bool under_address) {
    if (expr->kind == Expr::Kind::subscript && !under_address && !ir::is_array(expr->type)) return true;
    const bool address = expr->kind == Expr::Kind::unary && expr->op == Op::address;
    for (std::size_t i = 0; i < expr->args.size(); ++i) {
      const bool below = address || (under_address && expr->kind == Expr::Kind::subscript && i == 0 &&
                                     ir::is_array(expr->args[0]->type));
      if (loads(expr->args[i], below)) return true;
    }
    return false;
  }

  Stmts place(const Stmts& stmts) {
    Stmts out;
    for (const auto& stmt : stmts) {
      if (stmt->kind == Stmt::Kind::declare &&
          (stmt->variable->storage == Storage::shared || stmt->variable->storage == Storage::dynamic_shared)) {
        if (!stmt->comments.empty()) {
          Stmt comment;
          comment.line = stmt->line;
          comment.comments = stmt->comments;
          out.push_back(std::make_shared<const Stmt>(std::move(comment)));
        }
        continue;
      }
      Stmt copy = *stmt;
      if (stmt->kind == Stmt::Kind::thread_loop) {
        copy.body = with_anew(inside(stmt->body));
        if (copy.body.empty()) continue;
      } else {
        if (stmt->init) copy.init = place({stmt->init}).front();
        copy.body = place(stmt->body);
        copy.other = place(stmt->other);
      }
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    return out;
  }

  // Declarations of what became an array turn into assignments; of what is computed anew they go.
  Stmts inside(const Stmts& stmts) {
    Stmts out;
    for (const auto& stmt : stmts) {
      Stmt copy = *stmt;
      if (stmt->kind == Stmt::Kind::declare) {
        if (anew_.contains(stmt->variable) && loops_[stmt->variable].size() > 1) {
          continue;
        }
        if (stmt->variable->storage == Storage::shared || stmt->variable->storage == Storage::dynamic_shared) continue;
        if (arrays_.contains(stmt->variable)) {
          if (!stmt->value) continue;
          if (ir::is_array(stmt->variable->type)) {
            fill(*stmt, out);
            continue;
          }
          copy.kind = Stmt::Kind::evaluate;
          copy.value = ir::assign(ir::use(stmt->variable), stmt->value);
          copy.variable = nullptr;
        }
      }
      if (stmt->init) {
        Stmts init = inside({stmt->init});
        if (init.size() == 1)
          copy.init = init[0];
        else {
          copy.init = nullptr;
          for (auto& s : init) out.push_back(std::move(s));
        }
      }
      copy.body = inside(stmt->body);
      copy.other = inside(stmt->other);
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    return out;
  }

  // float v[4] = {a, b}: element by element, what is left out is zero.
  void fill(const Stmt& stmt, Stmts& out) {
    const std::function<void(const ExprRef&, const ExprRef&)> element = [&](const ExprRef& place,
                                                                            const ExprRef& value) {
      if (ir::is_array(place->type)) {
        for (std::int64_t i = 0; i < place->type->count; ++i) {
          const auto at = static_cast<std::size_t>(i);
          const bool given = value && value->kind == Expr::Kind::aggregate && at < value->args.size();
          element(ir::subscript(place, ir::integer(i)), given ? value->args[at] : nullptr);
        }
        return;
      }
      ExprRef right = value;
      if (!right) {
        if (ir::is_floating(place->type))
          right = ir::real(0, ir::with_constant(place->type, false));
        else if (ir::is_integer(place->type))
          right = ir::integer(0, ir::with_constant(place->type, false));
        else {
          Expr zero;
          zero.kind = Expr::Kind::aggregate;
          zero.type = place->type;
          right = std::make_shared<const Expr>(zero);
        }
      }
      out.push_back(ir::evaluate(ir::assign(place, right)));
    };
    element(ir::use(stmt.variable), stmt.value);
  }

  Stmts with_anew(Stmts body) {
    std::set<VariableRef> needed;
    std::vector<VariableRef> todo;
    const auto see = [&](const Stmts& stmts) {
      ir::for_each_expr(stmts, [&](const Expr& node) {
        if (node.variable && anew_.contains(node.variable) && loops_[node.variable].size() > 1 &&
            needed.insert(node.variable).second)
          todo.push_back(node.variable);
      });
    };
    see(body);
    while (!todo.empty()) {
      const auto variable = todo.back();
      todo.pop_back();
      see({anew_.at(variable)});
    }
    Stmts out;
    for (const auto& variable : anew_order_) {
      if (!needed.contains(variable)) continue;
      Stmt copy = *anew_.at(variable);
      if (!commented_.insert(variable).second) copy.comments.clear();
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    out.insert(out.end(), body.begin(), body.end());
    return out;
  }

  Stmts body_;
  std::set<VariableRef> flags_;
  int next_ = 0;
  std::map<VariableRef, std::set<int>> loops_;
  std::vector<VariableRef> order_;
  std::set<VariableRef> outside_, arrays_, commented_;
  std::map<VariableRef, StmtRef> anew_;
  std::vector<VariableRef> anew_order_;
};

}  // namespace

ir::Stmts place_variables(SplitBody split, std::vector<VariableRef>& thread_arrays, std::vector<VariableRef>& shared) {
  return Placement(std::move(split)).run(thread_arrays, shared);
}

}  // namespace tqm::port::passes
