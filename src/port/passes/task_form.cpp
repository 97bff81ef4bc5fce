#include "port/passes/task_form.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/result.hpp"
#include "port/ir/build.hpp"
#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/hoist.hpp"
#include "port/passes/inline_calls.hpp"
#include "port/passes/uniform.hpp"
#include "port/passes/warp.hpp"
#include "port/passes/without_returns.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Index;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;
using ir::Storage;
using ir::VariableRef;

namespace {

bool is_loop(const Stmt& stmt) {
  return stmt.kind == Stmt::Kind::for_loop || stmt.kind == Stmt::Kind::while_loop || stmt.kind == Stmt::Kind::do_loop;
}

bool meeting(const Expr& expr) {
  return expr.kind == Expr::Kind::intrinsic && (ir::is_warp(expr.name) || ir::is_vote(expr.name));
}

bool meets(const Stmts& stmts) {
  return ir::any_stmt(stmts, [](const Stmt& stmt) { return stmt.kind == Stmt::Kind::barrier; }) ||
         ir::any_expr(stmts, meeting);
}

bool has_barrier(const Stmts& stmts) {
  return ir::any_stmt(stmts, [](const Stmt& stmt) { return stmt.kind == Stmt::Kind::barrier; }) ||
         ir::any_expr(stmts,
                      [](const Expr& expr) { return expr.kind == Expr::Kind::intrinsic && ir::is_vote(expr.name); });
}

// A statement that only changes variables of the task: nothing in memory, nothing of a single thread.
class Splitter {
 public:
  Splitter(ir::Kernel& kernel, ir::Function& function, ir::Names& names)
      : kernel_(kernel), function_(function), names_(names), uniform_(function.body) {}

  Stmts run() {
    place_uniform_variables();
    Stmts out = list(function_.body, nullptr);
    return out;
  }

 private:
  using Mask = VariableRef;  // a thread array of bool; none: all threads

  // --- what stands outside the loops over threads -------------------------------------------------

  bool once(const Stmt& stmt) const {
    switch (stmt.kind) {
      case Stmt::Kind::declare:
        if (stmt.variable->storage != Storage::local) return true;
        if (uniform_.varies(stmt.variable)) return false;
        return !stmt.value || (!uniform_.varies(stmt.value) && only_local_effects(stmt.value));
      case Stmt::Kind::evaluate:
        return !uniform_.varies(stmt.value) && changes_locals_only(stmt.value);
      case Stmt::Kind::leave:
      case Stmt::Kind::next:
        return false;
      case Stmt::Kind::block:
        return once(stmt.body);
      case Stmt::Kind::branch:
        return !uniform_.varies(stmt.value) && only_local_effects(stmt.value) && once_inside(stmt.body) &&
               once_inside(stmt.other);
      case Stmt::Kind::for_loop:
      case Stmt::Kind::while_loop:
      case Stmt::Kind::do_loop:
        return !uniform_.loop_varies(stmt) && (!stmt.init || once(*stmt.init)) &&
               (!stmt.value || only_local_effects(stmt.value)) && (!stmt.step || changes_locals_only(stmt.step)) &&
               once_inside(stmt.body);
      default:
        return false;
    }
  }
  bool once(const Stmts& stmts) const {
    return std::all_of(stmts.begin(), stmts.end(), [&](const StmtRef& stmt) { return once(*stmt); });
  }
  // Where a break belongs to a loop that itself stands outside.
  bool once_inside(const Stmts& stmts) const {
    return std::all_of(stmts.begin(), stmts.end(), [&](const StmtRef& stmt) {
      if (stmt->kind == Stmt::Kind::leave || stmt->kind == Stmt::Kind::next) return true;
      if (stmt->kind == Stmt::Kind::branch)
        return !uniform_.varies(stmt->value) && only_local_effects(stmt->value) && once_inside(stmt->body) &&
               once_inside(stmt->other);
      if (stmt->kind == Stmt::Kind::block) return once_inside(stmt->body);
      return once(*stmt);
    });
  }
  // Reads anything, writes nothing but uniform local variables.
  bool only_local_effects(const ExprRef& expr) const {
    return !ir::any_expr(expr, [&](const Expr& node) {
      if (node.kind == Expr::Kind::call) return true;
      if (node.kind == Expr::Kind::intrinsic) return !ir::is_pure(node.name);
      if (node.kind == Expr::Kind::assign ||
          (node.kind == Expr::Kind::unary && node.op >= Op::pre_increment && node.op <= Op::post_decrement))
        return !is_uniform_local(node.args[0]);
      return false;
    });
  }
  bool changes_locals_only(const ExprRef& expr) const {
    const bool changes =
        expr->kind == Expr::Kind::assign ||
        (expr->kind == Expr::Kind::unary && expr->op >= Op::pre_increment && expr->op <= Op::post_decrement) ||
        (expr->kind == Expr::Kind::binary && expr->op == Op::comma);
    return changes && only_local_effects(expr);
  }
  bool is_uniform_local(const ExprRef& place) const {
    if (place->kind == Expr::Kind::variable)
      return (place->variable->storage == Storage::local || place->variable->storage == Storage::parameter) &&
             !uniform_.varies(place->variable);
    if (place->kind == Expr::Kind::member) return is_uniform_local(place->args[0]);
    if (place->kind == Expr::Kind::subscript && ir::is_array(place->args[0]->type))
      return is_uniform_local(place->args[0]);
    return false;
  }

  // A uniform variable that a statement inside a loop over threads changes must be declared in that same statement;
  // otherwise each thread would change the one copy. Such variables vary after all; so does what depends on them.
  void place_uniform_variables() {
    bool more = true;
    while (more) {
      more = false;
      std::vector<VariableRef> found;
      look(function_.body, found);
      for (const auto& variable : found)
        if (!uniform_.varies(variable)) {
          uniform_.add(variable);
          more = true;
        }
    }
  }
  void look(const Stmts& stmts, std::vector<VariableRef>& found) {
    for (const auto& stmt : stmts) {
      if (once(*stmt)) continue;
      const bool splits = meets({stmt});
      if (splits && (stmt->kind == Stmt::Kind::block || stmt->kind == Stmt::Kind::branch || is_loop(*stmt))) {
        if (stmt->init) look({stmt->init}, found);
        if (stmt->step && !changes_locals_only(stmt->step)) note_changes({ir::evaluate(stmt->step)}, found);
        look(stmt->body, found);
        look(stmt->other, found);
        continue;
      }
      if (splits) continue;
      note_changes({stmt}, found);
    }
  }
  void note_changes(const Stmts& stmts, std::vector<VariableRef>& found) {
    std::set<VariableRef> declared;
    ir::for_each_stmt(stmts, [&](const Stmt& stmt) {
      if (stmt.kind == Stmt::Kind::declare) declared.insert(stmt.variable);
    });
    for (const auto& variable : ir::written(stmts))
      if ((variable->storage == Storage::local || variable->storage == Storage::parameter) &&
          !declared.contains(variable))
        found.push_back(variable);
    // A declaration that has to stand in the loop over threads belongs to the thread.
    for (const auto& stmt : stmts)
      if (stmt->kind == Stmt::Kind::declare && stmt->variable->storage == Storage::local)
        found.push_back(stmt->variable);
  }

  // --- splitting -----------------------------------------------------------------------------------

  void flush(Stmts& run, const Mask& mask, Stmts& out) {
    if (run.empty()) return;
    out.push_back(ir::thread_loop(std::move(run), mask ? ir::use(mask) : nullptr));
    run.clear();
  }

  Stmts list(const Stmts& stmts, const Mask& mask) {
    Stmts out, run;
    for (const auto& stmt : stmts) {
      if (once(*stmt)) {
        if (stmt->kind == Stmt::Kind::declare || !run.empty()) flush(run, mask, out);
        out.push_back(stmt);
        continue;
      }
      if (!meets({stmt})) {
        run.push_back(stmt);
        continue;
      }
      split(*stmt, mask, run, out);
    }
    flush(run, mask, out);
    return out;
  }

  void split(const Stmt& stmt, const Mask& mask, Stmts& run, Stmts& out) {
    switch (stmt.kind) {
      case Stmt::Kind::barrier:
        if (!stmt.comments.empty()) note_comments(stmt, run, out, mask);
        flush(run, mask, out);
        return;
      case Stmt::Kind::block: {
        flush(run, mask, out);
        for (auto& inner : list(stmt.body, mask)) out.push_back(std::move(inner));
        return;
      }
      case Stmt::Kind::branch:
        flush(run, mask, out);
        branch(stmt, mask, out);
        return;
      case Stmt::Kind::for_loop:
      case Stmt::Kind::while_loop:
      case Stmt::Kind::do_loop:
        flush(run, mask, out);
        loop(stmt, mask, out);
        return;
      case Stmt::Kind::declare:
      case Stmt::Kind::evaluate:
        warp_operation(stmt, mask, run, out);
        return;
      default:
        refuse(2018, stmt.line, "threads meet inside a switch");
    }
  }

  void note_comments(const Stmt& stmt, Stmts& run, Stmts& out, const Mask& mask) {
    flush(run, mask, out);
    Stmt comment;
    comment.line = stmt.line;
    comment.comments = stmt.comments;
    out.push_back(std::make_shared<const Stmt>(std::move(comment)));
  }

  VariableRef thread_flag(const std::string& name) { return ir::make_variable(names_.fresh(name), ir::bool_type()); }

  ExprRef flag(bool value) { return ir::integer(value ? 1 : 0, ir::bool_type()); }

  // any = false; for each thread where mask: any = true
  VariableRef any_of(const Mask& mask, Stmts& out, VariableRef any = nullptr) {
    if (!any) {
      any = ir::make_variable(names_.fresh("any"), ir::bool_type());
      out.push_back(ir::declare(any, flag(false)));
    } else {
      out.push_back(ir::evaluate(ir::assign(ir::use(any), flag(false))));
    }
    out.push_back(ir::thread_loop({ir::evaluate(ir::assign(ir::use(any), flag(true)))}, ir::use(mask)));
    return any;
  }

  // mask && condition, of every thread; for threads outside the mask false.
  Mask narrowed(const Mask& mask, const ExprRef& condition, const std::string& name, Stmts& out) {
    const Mask made = thread_flag(name);
    flags_.insert(made);
    if (mask) {
      out.push_back(ir::thread_loop({ir::evaluate(ir::assign(ir::use(made), flag(false)))}));
      out.push_back(ir::thread_loop({ir::evaluate(ir::assign(ir::use(made), condition))}, ir::use(mask)));
    } else {
      out.push_back(ir::thread_loop({ir::evaluate(ir::assign(ir::use(made), condition))}));
    }
    return made;
  }

  void branch(const Stmt& stmt, const Mask& mask, Stmts& out) {
    if (!uniform_.varies(stmt.value) && only_local_effects(stmt.value)) {
      Stmt copy = stmt;
      copy.body = list(stmt.body, mask);
      copy.other = list(stmt.other, mask);
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
      return;
    }
    if (!stmt.from_return && has_barrier({std::make_shared<const Stmt>(stmt)}))
      return refuse(2007, stmt.line, "a barrier under a condition that differs among the threads of a block");
    const Mask yes = narrowed(mask, stmt.value, "active", out);
    if (!stmt.body.empty()) {
      const auto any = any_of(yes, out);
      auto made = std::make_shared<Stmt>(*ir::branch(ir::use(any), list(stmt.body, yes)));
      made->comments = stmt.comments;
      out.push_back(made);
    }
    if (!stmt.other.empty()) {
      const Mask no = thread_flag("inactive");
      flags_.insert(no);
      ExprRef turned = ir::unary(Op::logical_not, ir::use(yes));
      if (mask) turned = ir::binary(Op::logical_and, ir::use(mask), turned);
      out.push_back(ir::thread_loop({ir::evaluate(ir::assign(ir::use(no), turned))}));
      const auto any = any_of(no, out);
      out.push_back(ir::branch(ir::use(any), list(stmt.other, no)));
    }
  }

  void loop(const Stmt& stmt, const Mask& mask, Stmts& out) {
    const bool varies = uniform_.loop_varies(stmt);
    const bool effects_ok = (!stmt.value || only_local_effects(stmt.value)) &&
                            (!stmt.step || changes_locals_only(stmt.step)) && (!stmt.init || once(*stmt.init));
    if (!varies && effects_ok && uniform_exits(stmt.body)) {
      Stmt copy = stmt;
      copy.body = list_with_exits(stmt.body, mask);
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
      return;
    }
    if (has_barrier({std::make_shared<const Stmt>(stmt)}) && (varies || !effects_ok))
      if (varies)
        return refuse(2007, stmt.line, "a barrier in a loop that the threads of a block leave at different times");
    masked_loop(stmt, mask, out);
  }

  // break and continue of this loop under uniform conditions only, each in a branch of its own.
  bool uniform_exits(const Stmts& stmts) const {
    for (const auto& stmt : stmts) {
      if (stmt->kind == Stmt::Kind::leave || stmt->kind == Stmt::Kind::next) continue;
      if (is_loop(*stmt) || stmt->kind == Stmt::Kind::choose) continue;
      if (!exits(stmt->body) && !exits(stmt->other)) continue;
      if (stmt->kind == Stmt::Kind::block) {
        if (!uniform_exits(stmt->body)) return false;
        continue;
      }
      if (stmt->kind != Stmt::Kind::branch || uniform_.varies(stmt->value) || !only_local_effects(stmt->value))
        return false;
      if (!uniform_exits(stmt->body) || !uniform_exits(stmt->other)) return false;
    }
    return true;
  }
  static bool exits(const Stmts& stmts) {
    for (const auto& stmt : stmts) {
      if (stmt->kind == Stmt::Kind::leave || stmt->kind == Stmt::Kind::next) return true;
      if (is_loop(*stmt)) continue;
      if (stmt->kind == Stmt::Kind::choose) {
        if (ir::any_stmt(stmt->body, [](const Stmt& s) { return s.kind == Stmt::Kind::next; })) return true;
        continue;
      }
      if (exits(stmt->body) || exits(stmt->other)) return true;
    }
    return false;
  }
  // As list, where uniform branches with break or continue stand outside the loops over threads.
  Stmts list_with_exits(const Stmts& stmts, const Mask& mask) {
    Stmts out, run;
    for (const auto& stmt : stmts) {
      if (stmt->kind == Stmt::Kind::leave || stmt->kind == Stmt::Kind::next) {
        flush(run, mask, out);
        out.push_back(stmt);
        continue;
      }
      const bool branches = (stmt->kind == Stmt::Kind::branch || stmt->kind == Stmt::Kind::block) &&
                            (exits(stmt->body) || exits(stmt->other));
      if (!branches) {
        Stmts one = {stmt};
        if (!once(*stmt) && !meets(one)) {
          run.push_back(stmt);
          continue;
        }
        flush(run, mask, out);
        for (auto& made : list(one, mask)) out.push_back(std::move(made));
        continue;
      }
      flush(run, mask, out);
      Stmt copy = *stmt;
      copy.body = list_with_exits(stmt->body, mask);
      copy.other = list_with_exits(stmt->other, mask);
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
    flush(run, mask, out);
    return out;
  }

  void masked_loop(const Stmt& stmt, const Mask& mask, Stmts& out) {
    if (stmt.init) {
      if (once(*stmt.init))
        out.push_back(stmt.init);
      else
        out.push_back(ir::thread_loop({stmt.init}, mask ? ir::use(mask) : nullptr));
    }
    const ExprRef condition = stmt.value ? stmt.value : flag(true);
    const bool first = stmt.kind == Stmt::Kind::do_loop;
    const Mask active = narrowed(mask, first ? flag(true) : condition, "active", out);
    const auto any = any_of(active, out);
    Stmt made;
    made.kind = Stmt::Kind::while_loop;
    made.line = stmt.line;
    made.comments = stmt.comments;
    made.value = ir::use(any);
    Stmts body = without_next(stmt.body, names_);
    made.body = list(masked_breaks(body, active, stmt.line), active);
    Stmts end;
    if (stmt.step) end.push_back(ir::evaluate(stmt.step));
    end.push_back(ir::evaluate(ir::assign(ir::use(active), condition)));
    made.body.push_back(ir::thread_loop(std::move(end), ir::use(active)));
    (void)any_of(active, made.body, any);
    out.push_back(std::make_shared<const Stmt>(std::move(made)));
  }

  // if (c) break; at the top of a masked loop's body takes the thread out of the mask.
  Stmts masked_breaks(const Stmts& stmts, const Mask& active, int line) {
    Stmts out;
    for (const auto& stmt : stmts) {
      if (!leaves_loop({stmt})) {
        out.push_back(stmt);
        continue;
      }
      if (stmt->kind == Stmt::Kind::leave) {
        out.push_back(ir::evaluate(ir::assign(ir::use(active), flag(false))));
        return out;
      }
      if (stmt->kind == Stmt::Kind::branch && !meets({stmt}) && stmt->other.empty() && !stmt->body.empty() &&
          stmt->body.back()->kind == Stmt::Kind::leave) {
        Stmt copy = *stmt;
        copy.body.pop_back();
        if (!leaves_loop(copy.body)) {
          copy.body.push_back(ir::evaluate(ir::assign(ir::use(active), flag(false))));
          out.push_back(std::make_shared<const Stmt>(std::move(copy)));
          // The rest runs in a loop of its own over the threads that stay.
          Stmt part;
          part.kind = Stmt::Kind::evaluate;
          part.value = ir::intrinsic("warp_barrier", ir::void_type(), {});
          out.push_back(std::make_shared<const Stmt>(std::move(part)));
          continue;
        }
      }
      refuse(2020, line, "some threads leave the loop from deep inside, while others still meet in it");
      return out;
    }
    return out;
  }
  static bool leaves_loop(const Stmts& stmts) {
    for (const auto& stmt : stmts) {
      if (stmt->kind == Stmt::Kind::leave) return true;
      if (is_loop(*stmt) || stmt->kind == Stmt::Kind::choose) continue;
      if (leaves_loop(stmt->body) || leaves_loop(stmt->other)) return true;
    }
    return false;
  }

  // The statement is `x = operation(args)`, `T x = operation(args)` or `operation(args)` after hoisting.
  void warp_operation(const Stmt& stmt, const Mask& mask, Stmts& run, Stmts& out) {
    ExprRef value = stmt.value;
    VariableRef target;
    if (stmt.kind == Stmt::Kind::declare) target = stmt.variable;
    if (stmt.kind == Stmt::Kind::evaluate && value->kind == Expr::Kind::assign) {
      target = value->args[0]->variable;
      value = value->args[1];
    }
    ASSERT(value && value->kind == Expr::Kind::intrinsic);
    if (value->name == "warp_barrier") return flush(run, mask, out);
    if (ir::is_vote(value->name)) return vote(*value, target, mask, run, out);
    WarpParts parts = warp_parts(*value, static_cast<bool>(mask), names_);
    if (!parts.known) return refuse(2018, stmt.line, "the warp operation " + value->name);
    for (auto& before : parts.offer) run.push_back(std::move(before));
    if (mask && parts.clear) {
      // Threads outside the mask offer the neutral value.
      Stmts kept = std::move(run);
      run.clear();
      flush(kept, mask, out);
      out.insert(out.end() - 1, ir::thread_loop({parts.clear}));
    } else {
      flush(run, mask, out);
    }
    if (stmt.kind == Stmt::Kind::declare && parts.pick.empty()) return;
    for (auto& after : parts.pick) run.push_back(std::move(after));
    if (target && parts.result) {
      Stmt copy = stmt;
      if (stmt.kind == Stmt::Kind::declare)
        copy.value = parts.result;
      else
        copy.value = ir::assign(ir::use(target), parts.result);
      run.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }
  }

  // A count over all threads of the block: one scalar.
  void vote(const Expr& value, const VariableRef& target, const Mask& mask, Stmts& run, Stmts& out) {
    flush(run, mask, out);
    ASSERT(target);
    const bool all = value.name == "block_and";
    out.push_back(ir::declare(target, ir::integer(all ? 1 : 0)));
    const ExprRef holds = ir::binary(Op::not_equal, value.args[0], ir::integer(0));
    Stmts body;
    if (value.name == "block_count")
      body.push_back(ir::branch(holds, {ir::evaluate(ir::unary(Op::pre_increment, ir::use(target)))}));
    else if (all)
      body.push_back(ir::branch(negated(holds), {ir::evaluate(ir::assign(ir::use(target), ir::integer(0)))}));
    else
      body.push_back(ir::branch(holds, {ir::evaluate(ir::assign(ir::use(target), ir::integer(1)))}));
    out.push_back(ir::thread_loop(std::move(body), mask ? ir::use(mask) : nullptr));
  }

  void refuse(int number, int line, std::string text) {
    kernel_.remarks.push_back({number, ir::Remark::Severity::refusal, line, std::move(text)});
  }

  ir::Kernel& kernel_;
  ir::Function& function_;
  ir::Names& names_;
  Uniform uniform_;

 public:
  std::set<VariableRef> flags_;
};

// --- where variables live ------------------------------------------------------------------------------

class Placement {
 public:
  Placement(Stmts body, const std::set<VariableRef>& flags, const ir::Function& function)
      : body_(std::move(body)), flags_(flags), function_(function) {}

  Stmts run(std::vector<VariableRef>& thread_arrays, std::vector<VariableRef>& shared) {
    number_loops(body_);
    find_anew();
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
  const std::set<VariableRef>& flags_;
  const ir::Function& function_;
  int next_ = 0;
  std::map<VariableRef, std::set<int>> loops_;
  std::vector<VariableRef> order_;
  std::set<VariableRef> outside_, arrays_, commented_;
  std::map<VariableRef, StmtRef> anew_;
  std::vector<VariableRef> anew_order_;
};

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
  form.entry.body = volatile_steps(form.entry.body, names);
  form.entry.body = alone(form.entry.body, names);
  form.meets = meets(form.entry.body);
  Splitter splitter(kernel, form.entry, names);
  Stmts split = splitter.run();
  if (kernel.refused()) return form;
  form.entry.body = Placement(std::move(split), splitter.flags_, form.entry).run(form.thread_arrays, form.shared);
  return form;
}

}  // namespace tqm::port::passes
