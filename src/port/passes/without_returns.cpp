#include "port/passes/without_returns.hpp"

#include <utility>

#include "port/ir/walk.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;

ExprRef negated(const ExprRef& condition) {
  if (condition->kind == Expr::Kind::unary && condition->op == Op::logical_not &&
      condition->args[0]->type->scalar == ir::Scalar::boolean)
    return condition->args[0];
  if (condition->kind == Expr::Kind::binary) {
    if (condition->op == Op::logical_or || condition->op == Op::logical_and)
      return ir::binary(condition->op == Op::logical_or ? Op::logical_and : Op::logical_or, negated(condition->args[0]),
                        negated(condition->args[1]));
    const bool exact = !ir::is_floating(condition->args[0]->type) && !ir::is_floating(condition->args[1]->type);
    const auto turned = [&](Op op) { return ir::binary(op, condition->args[0], condition->args[1]); };
    switch (condition->op) {
      case Op::equal:
        return turned(Op::not_equal);
      case Op::not_equal:
        return turned(Op::equal);
      case Op::less:
        if (exact) return turned(Op::greater_equal);
        break;
      case Op::greater:
        if (exact) return turned(Op::less_equal);
        break;
      case Op::less_equal:
        if (exact) return turned(Op::greater);
        break;
      case Op::greater_equal:
        if (exact) return turned(Op::less);
        break;
      default:
        break;
    }
  }
  return ir::unary(Op::logical_not, condition);
}

namespace {

bool is_loop(const Stmt& stmt) {
  return stmt.kind == Stmt::Kind::for_loop || stmt.kind == Stmt::Kind::while_loop || stmt.kind == Stmt::Kind::do_loop;
}

class Remover {
 public:
  Remover(Stmt::Kind leaver, ir::VariableRef result, ir::Names& names)
      : leaver_(leaver), result_(std::move(result)), names_(names) {}

  Stmts whole(const Stmts& body) {
    Stmts out = list(body, 0);
    if (flag_) out.insert(out.begin(), ir::declare(flag_, ir::integer(0, ir::bool_type())));
    return out;
  }

 private:
  // Where the leaver is continue, loops inside have their own.
  bool leaves(const Stmt& stmt) const {
    if (stmt.kind == leaver_) return true;
    if (leaver_ == Stmt::Kind::next && is_loop(stmt)) return false;
    return any_leaves(stmt.body) || any_leaves(stmt.other);
  }
  bool any_leaves(const Stmts& stmts) const {
    for (const auto& stmt : stmts)
      if (leaves(*stmt)) return true;
    return false;
  }
  bool always(const Stmts& stmts) const {
    for (const auto& stmt : stmts) {
      if (stmt->kind == leaver_) return true;
      if (stmt->kind == Stmt::Kind::block && always(stmt->body)) return true;
      if (stmt->kind == Stmt::Kind::branch && !stmt->other.empty() && always(stmt->body) && always(stmt->other))
        return true;
      if (stmt->kind == Stmt::Kind::leave || stmt->kind == Stmt::Kind::next) return false;
    }
    return false;
  }

  StmtRef raise() {
    if (!flag_) flag_ = ir::make_variable(names_.fresh("returned"), ir::bool_type());
    return ir::evaluate(ir::assign(ir::use(flag_), ir::integer(1, ir::bool_type())));
  }
  StmtRef unless_raised(Stmts rest) {
    auto made = std::make_shared<Stmt>(*ir::branch(ir::unary(Op::logical_not, ir::use(flag_)), std::move(rest)));
    made->from_return = true;
    return made;
  }
  static StmtRef leave() {
    Stmt stmt;
    stmt.kind = Stmt::Kind::leave;
    return std::make_shared<const Stmt>(stmt);
  }

  // depth: loops and switches around, inside the body; there the flag is raised and the loop left.
  Stmts list(const Stmts& stmts, int depth) {
    Stmts out;
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      const StmtRef& stmt = stmts[i];
      if (!leaves(*stmt)) {
        out.push_back(stmt);
        continue;
      }
      const Stmts rest(stmts.begin() + static_cast<std::ptrdiff_t>(i) + 1, stmts.end());
      if (stmt->kind == leaver_) {
        if (stmt->value && result_) {
          auto given = std::make_shared<Stmt>(*ir::evaluate(ir::assign(ir::use(result_), stmt->value)));
          given->comments = stmt->comments;
          out.push_back(given);
        }
        if (depth > 0) {
          out.push_back(raise());
          out.push_back(leave());
        }
        return out;  // what follows is never reached
      }
      if (stmt->kind == Stmt::Kind::branch && depth == 0) {
        branch(*stmt, rest, out);
        return out;
      }
      Stmt copy = *stmt;
      const bool loop = is_loop(*stmt) || stmt->kind == Stmt::Kind::choose;
      copy.body = list(stmt->body, depth + (loop ? 1 : 0));
      copy.other = list(stmt->other, depth);
      if (stmt->kind == Stmt::Kind::block && depth == 0 && always(stmt->body)) {
        out.push_back(std::make_shared<const Stmt>(std::move(copy)));
        return out;
      }
      if (!flag_) (void)raise();
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
      if (rest.empty() && depth == 0) return out;
      if (depth > 0 && loop) out.push_back(ir::branch(ir::use(flag_), {leave()}));
      if (depth > 0 && !loop) continue;  // the branch left the loop itself
      if (depth > 0) continue;
      Stmts inner = list(rest, depth);
      if (!inner.empty()) out.push_back(unless_raised(std::move(inner)));
      return out;
    }
    return out;
  }

  void branch(const Stmt& stmt, const Stmts& rest, Stmts& out) {
    const bool yes = always(stmt.body), no = !stmt.other.empty() && always(stmt.other);
    Stmt copy = stmt;
    if (yes || no || rest.empty()) {
      Stmts body = stmt.body, other = stmt.other;
      if (yes) other.insert(other.end(), rest.begin(), rest.end());
      if (no && !yes) body.insert(body.end(), rest.begin(), rest.end());
      copy.body = list(body, 0);
      copy.other = list(other, 0);
      copy.from_return = true;
      if (copy.body.empty()) {
        copy.value = negated(copy.value);
        std::swap(copy.body, copy.other);
      }
      if (!copy.body.empty()) out.push_back(std::make_shared<const Stmt>(std::move(copy)));
      return;
    }
    (void)raise();
    Stmts body = flagged(stmt.body), other = flagged(stmt.other);
    copy.body = std::move(body);
    copy.other = std::move(other);
    out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    Stmts inner = list(rest, 0);
    if (!inner.empty()) out.push_back(unless_raised(std::move(inner)));
  }

  // A branch that leaves on some ways only: the ways that do raise the flag.
  Stmts flagged(const Stmts& stmts) {
    Stmts out;
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      const StmtRef& stmt = stmts[i];
      if (!leaves(*stmt)) {
        out.push_back(stmt);
        continue;
      }
      if (stmt->kind == leaver_) {
        if (stmt->value && result_) out.push_back(ir::evaluate(ir::assign(ir::use(result_), stmt->value)));
        out.push_back(raise());
        return out;
      }
      const bool loop = is_loop(*stmt) || stmt->kind == Stmt::Kind::choose;
      Stmt copy = *stmt;
      copy.body = loop ? list(stmt->body, 1) : flagged(stmt->body);
      copy.other = flagged(stmt->other);
      out.push_back(std::make_shared<const Stmt>(std::move(copy)));
      const Stmts rest(stmts.begin() + static_cast<std::ptrdiff_t>(i) + 1, stmts.end());
      Stmts inner = flagged(rest);
      if (!inner.empty()) out.push_back(unless_raised(std::move(inner)));
      return out;
    }
    return out;
  }

  Stmt::Kind leaver_;
  ir::VariableRef result_;
  ir::VariableRef flag_;
  ir::Names& names_;
};

}  // namespace

Stmts without_returns(const Stmts& body, const ir::VariableRef& result, ir::Names& names) {
  return Remover(Stmt::Kind::give_back, result, names).whole(body);
}

Stmts without_next(const Stmts& body, ir::Names& names) {
  return Remover(Stmt::Kind::next, nullptr, names).whole(body);
}

}  // namespace tqm::port::passes
