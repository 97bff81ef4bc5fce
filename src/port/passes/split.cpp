#include "port/passes/split.hpp"

#include <algorithm>
#include <utility>

#include "base/result.hpp"
#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/meeting.hpp"
#include "port/passes/task_level.hpp"
#include "port/passes/warp.hpp"
#include "port/passes/without_returns.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::Stmts;
using ir::VariableRef;

namespace {

class Splitter {
 public:
  Splitter(ir::Kernel& kernel, ir::Function& function, ir::Names& names)
      : kernel_(kernel), function_(function), names_(names), level_(function.body) {}

  Stmts run() { return list(function_.body, nullptr); }

 private:
  using Mask = VariableRef;  // a thread array of bool; none: all threads

  void flush(Stmts& run, const Mask& mask, Stmts& out) {
    if (run.empty()) return;
    out.push_back(ir::thread_loop(std::move(run), mask ? ir::use(mask) : nullptr));
    run.clear();
  }

  Stmts list(const Stmts& stmts, const Mask& mask) {
    Stmts out, run;
    for (const auto& stmt : stmts) {
      if (level_.once(*stmt)) {
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
    if (!level_.uniform().varies(stmt.value) && level_.only_local_effects(stmt.value)) {
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
    const bool varies = level_.uniform().loop_varies(stmt);
    const bool effects_ok = (!stmt.value || level_.only_local_effects(stmt.value)) &&
                            (!stmt.step || level_.changes_locals_only(stmt.step)) &&
                            (!stmt.init || level_.once(*stmt.init));
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
      if (stmt->kind != Stmt::Kind::branch || level_.uniform().varies(stmt->value) ||
          !level_.only_local_effects(stmt->value))
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
        if (!level_.once(*stmt) && !meets(one)) {
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
      if (level_.once(*stmt.init))
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
    if (value->name.starts_with("fragment_")) {  // the first thread of a warp stands for all of it
      flush(run, mask, out);
      run.push_back(for_warp_leaders(value));
      return flush(run, mask, out);
    }
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
  TaskLevel level_;

 public:
  std::set<VariableRef> flags_;
};

}  // namespace

SplitBody split_threads(ir::Kernel& kernel, ir::Function& function, ir::Names& names) {
  Splitter splitter(kernel, function, names);
  SplitBody split;
  split.body = splitter.run();
  split.flags = std::move(splitter.flags_);
  return split;
}

}  // namespace tqm::port::passes
