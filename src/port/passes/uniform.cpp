#include "port/passes/uniform.hpp"

#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::Stmts;
using ir::VariableRef;

namespace {

bool is_loop(const Stmt& stmt) {
  return stmt.kind == Stmt::Kind::for_loop || stmt.kind == Stmt::Kind::while_loop || stmt.kind == Stmt::Kind::do_loop;
}

VariableRef changed(const ExprRef& place) {
  switch (place->kind) {
    case Expr::Kind::variable:
      return place->variable;
    case Expr::Kind::subscript:
      return ir::is_array(place->args[0]->type) ? changed(place->args[0]) : nullptr;
    case Expr::Kind::member:
    case Expr::Kind::cast:
      return changed(place->args[0]);
    default:
      return nullptr;
  }
}

bool one_a_block(const VariableRef& variable) {
  return variable->storage != ir::Storage::local && variable->storage != ir::Storage::parameter;
}

}  // namespace

Uniform::Uniform(const Stmts& body, bool lanes, bool iterations) : body_(body), lanes_(lanes), iterations_(iterations) {
  settle();
}

void Uniform::add(const VariableRef& variable) {
  if (varying_.insert(variable).second) settle();
}

void Uniform::settle() {
  bool more = true;
  while (more) {
    std::set<VariableRef> inside;
    more = visit(body_, false, inside);
  }
}

bool Uniform::varies(const ExprRef& expr) const {
  return ir::any_expr(expr, [&](const Expr& node) {
    switch (node.kind) {
      case Expr::Kind::index:
        if (iterations_) return node.index == ir::Index::place_x;
        if (lanes_ && (node.index == ir::Index::thread_y || node.index == ir::Index::thread_z)) return false;
        return node.index <= ir::Index::thread_z || node.index == ir::Index::lane ||
               node.index == ir::Index::thread_linear || node.index == ir::Index::place_x;
      case Expr::Kind::variable:
        return varying_.contains(node.variable) ||
               (!iterations_ && node.variable->storage == ir::Storage::thread_array);
      case Expr::Kind::call:
        return true;  // it may look at memory that differs by the time each thread gets there
      case Expr::Kind::intrinsic:
        return ir::is_atomic(node.name) || ir::is_warp(node.name);
      default:
        return false;
    }
  });
}

bool Uniform::loop_varies(const Stmt& loop) const {
  if (loop.value && varies(loop.value)) return true;
  // A break of its own under a varying condition.
  const std::function<bool(const Stmts&, bool)> leaves = [&](const Stmts& stmts, bool varying) -> bool {
    for (const auto& stmt : stmts) {
      if ((stmt->kind == Stmt::Kind::leave || stmt->kind == Stmt::Kind::give_back) && varying) return true;
      if (is_loop(*stmt) || stmt->kind == Stmt::Kind::choose) {
        if (ir::any_stmt(stmt->body, [](const Stmt& s) { return s.kind == Stmt::Kind::give_back; }) && varying)
          return true;
        continue;
      }
      const bool inner = varying || (stmt->kind == Stmt::Kind::branch && varies(stmt->value));
      if (leaves(stmt->body, inner) || leaves(stmt->other, inner)) return true;
    }
    return false;
  };
  return leaves(loop.body, false);
}

bool Uniform::note(const ExprRef& expr, bool under_varying, const std::set<VariableRef>& inside) {
  bool found = false;
  ir::for_each_expr(expr, [&](const Expr& node) {
    const auto mark = [&](const VariableRef& variable) {
      if (variable && !one_a_block(variable) && varying_.insert(variable).second) found = true;
    };
    const auto here = [&](const VariableRef& variable) { return under_varying && !inside.contains(variable); };
    if (node.kind == Expr::Kind::assign) {
      const auto variable = changed(node.args[0]);
      if (variable && (here(variable) || varies(node.args[1]) || varies(node.args[0]))) mark(variable);
    } else if (node.kind == Expr::Kind::unary) {
      const auto variable = changed(node.args[0]);
      if (node.op >= Op::pre_increment && node.op <= Op::post_decrement && variable && here(variable)) mark(variable);
      if (node.op == Op::address) mark(variable);
    } else if (node.kind == Expr::Kind::conditional ||
               (node.kind == Expr::Kind::binary && (node.op == Op::logical_and || node.op == Op::logical_or))) {
      if (varies(node.args[0]))
        for (std::size_t i = 1; i < node.args.size(); ++i)
          ir::for_each_expr(node.args[i], [&](const Expr& inner) {
            if (inner.kind == Expr::Kind::assign ||
                (inner.kind == Expr::Kind::unary && inner.op >= Op::pre_increment && inner.op <= Op::post_decrement))
              mark(changed(inner.args[0]));
          });
    } else if (node.kind == Expr::Kind::call || node.kind == Expr::Kind::cast ||
               (node.kind == Expr::Kind::binary && node.op != Op::comma)) {
      // An array given away as a pointer.
      for (const auto& arg : node.args)
        if (ir::is_array(arg->type)) mark(changed(arg));
    }
  });
  return found;
}

bool Uniform::visit(const Stmts& stmts, bool under_varying, std::set<VariableRef>& inside) {
  bool found = false;
  for (const auto& stmt : stmts) {
    if (stmt->kind == Stmt::Kind::declare) {
      if (under_varying) inside.insert(stmt->variable);
      if (stmt->value) {
        const bool aggregate_of_array = ir::is_array(stmt->value->type) && stmt->value->kind != Expr::Kind::aggregate;
        if ((varies(stmt->value) || aggregate_of_array) && !one_a_block(stmt->variable) &&
            varying_.insert(stmt->variable).second)
          found = true;
      }
    }
    found = note(stmt->value, under_varying, inside) || found;
    if (stmt->init) {
      Stmts init{stmt->init};
      found = visit(init, under_varying, inside) || found;
    }
    bool inner = under_varying;
    std::set<VariableRef> own = inside;
    const bool opens = (stmt->kind == Stmt::Kind::branch || stmt->kind == Stmt::Kind::choose) ? varies(stmt->value)
                       : is_loop(*stmt)                                                       ? loop_varies(*stmt)
                                                                                              : false;
    if (opens) {
      inner = true;
      own.clear();  // what was declared before the branch is outside of it
      if (stmt->init && stmt->init->kind == Stmt::Kind::declare) {
        // The counter of a loop that threads leave at different times differs among them after a while.
      }
    }
    found = note(stmt->step, inner, own) || found;
    found = visit(stmt->body, inner, own) || found;
    if (opens) own.clear();
    found = visit(stmt->other, inner, own) || found;
  }
  return found;
}

}  // namespace tqm::port::passes
