// Looking through a tree, and building a changed one. Order is the source's: a statement before what is in it, an
// expression after its operands.
#pragma once

#include <functional>

#include "port/ir/node.hpp"

namespace tqm::port::ir {

void for_each_expr(const ExprRef& expr, const std::function<void(const Expr&)>& visit);
void for_each_expr(const Stmts& stmts, const std::function<void(const Expr&)>& visit);
void for_each_stmt(const Stmts& stmts, const std::function<void(const Stmt&)>& visit);

// Operands first, then change(node with its new operands); change gives the node back where it has nothing to do.
using ChangeExpr = std::function<ExprRef(const ExprRef&)>;
ExprRef rewrite(const ExprRef& expr, const ChangeExpr& change);

// Every expression of the statements, in place.
Stmts rewrite_exprs(const Stmts& stmts, const ChangeExpr& change);

// Inner statements first; change gives what stands in the statement's place: nothing, one or several.
using ChangeStmt = std::function<Stmts(const StmtRef&)>;
Stmts rewrite_stmts(const Stmts& stmts, const ChangeStmt& change);

ExprRef copy_with_args(const ExprRef& expr, std::vector<ExprRef> args);

bool any_expr(const ExprRef& expr, const std::function<bool(const Expr&)>& test);
bool any_expr(const Stmts& stmts, const std::function<bool(const Expr&)>& test);
bool any_stmt(const Stmts& stmts, const std::function<bool(const Stmt&)>& test);

bool uses(const ExprRef& expr, const VariableRef& variable);
bool uses(const Stmts& stmts, const VariableRef& variable);

// The variable that a place starts from: a of a[i].b; none where it goes through a pointer that is computed.
VariableRef root_variable(const ExprRef& place);

// Whether evaluating it changes anything: assignments, increments, calls, intrinsics with effects.
bool has_effects(const ExprRef& expr);

// Variables that are written by name (x = …, x[i] = …, ++x) or whose address is taken.
std::vector<VariableRef> written(const Stmts& stmts);
bool is_written(const Stmts& stmts, const VariableRef& variable);

bool same_expr(const ExprRef& a, const ExprRef& b);

}  // namespace tqm::port::ir
