#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

#include "port/frontend/walker.hpp"

namespace tqm::port {

void Walker::walk_function(Frame& entered) {
  frames_.push_back(&entered);
  const bool noting = noting_;
  for (int round = 0; round < 6; ++round) {
    noting_ = false;
    entered.changed = false;
    entered.exited = false;
    walk(entered.function->getBody());
    if (!entered.changed) break;
  }
  noting_ = noting;
  if (noting_) {
    entered.exited = false;
    walk(entered.function->getBody());
  }
  frames_.pop_back();
}

bool Walker::diverged_since(size_t depth) const {
  const auto& scopes = frame().scopes;
  for (size_t i = depth; i < scopes.size(); ++i)
    if (scopes[i]) return true;
  return false;
}

bool Walker::diverged() const {
  return diverged_call_ || diverged_since(0) || (frames_.size() > 1 && frame().exited);
}

void Walker::walk_children(const clang::Stmt* statement) {
  for (const clang::Stmt* child : statement->children()) walk(child);
}

void Walker::walk(const clang::Stmt* statement) {
  if (!statement) return;
  if (const auto* expression = llvm::dyn_cast<clang::Expr>(statement)) {
    value(expression);
    return;
  }
  switch (statement->getStmtClass()) {
    case clang::Stmt::DeclStmtClass:
      for (const clang::Decl* declared : llvm::cast<clang::DeclStmt>(statement)->decls())
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared)) declare(*variable);
      return;
    case clang::Stmt::IfStmtClass:
      return walk_if(*llvm::cast<clang::IfStmt>(statement));
    case clang::Stmt::ForStmtClass: {
      const auto* loop = llvm::cast<clang::ForStmt>(statement);
      return walk_loop(*loop, loop->getInit(), loop->getCond(), loop->getInc(), loop->getBody());
    }
    case clang::Stmt::WhileStmtClass: {
      const auto* loop = llvm::cast<clang::WhileStmt>(statement);
      return walk_loop(*loop, nullptr, loop->getCond(), nullptr, loop->getBody());
    }
    case clang::Stmt::DoStmtClass: {
      const auto* loop = llvm::cast<clang::DoStmt>(statement);
      return walk_loop(*loop, nullptr, loop->getCond(), nullptr, loop->getBody());
    }
    case clang::Stmt::CXXForRangeStmtClass: {
      const auto* loop = llvm::cast<clang::CXXForRangeStmt>(statement);
      if (loop->getLoopVariable()) declare(*loop->getLoopVariable());
      return walk_loop(*loop, loop->getRangeStmt(), loop->getCond(), loop->getInc(), loop->getBody());
    }
    case clang::Stmt::SwitchStmtClass: {
      const auto* choice = llvm::cast<clang::SwitchStmt>(statement);
      walk(choice->getInit());
      frame().scopes.push_back(value(choice->getCond()).varies());
      walk(choice->getBody());
      frame().scopes.pop_back();
      return;
    }
    case clang::Stmt::ReturnStmtClass:
      return walk_return(*llvm::cast<clang::ReturnStmt>(statement));
    case clang::Stmt::BreakStmtClass:
    case clang::Stmt::ContinueStmtClass:
      return leave_early(false);
    case clang::Stmt::GCCAsmStmtClass:
      return walk_asm(*llvm::cast<clang::GCCAsmStmt>(statement));
    default:
      return walk_children(statement);
  }
}

void Walker::walk_if(const clang::IfStmt& statement) {
  walk(statement.getInit());
  if (statement.getConditionVariable()) declare(*statement.getConditionVariable());
  const Motion condition = statement.getCond() ? value(statement.getCond()) : Motion{};
  frame().scopes.push_back(condition.varies());
  walk(statement.getThen());
  walk(statement.getElse());
  frame().scopes.pop_back();
}

// The scope is there before the loop's own variables, so that what they count by does not make them diverge.
void Walker::walk_loop(const clang::Stmt& loop, const clang::Stmt* init, const clang::Expr* condition,
                       const clang::Stmt* step, const clang::Stmt* body) {
  Frame& here = frame();
  here.scopes.push_back(false);
  here.loops.push_back(&loop);
  walk(init);
  ++loop_depth_;
  if (noting_) {
    ++facts_.loops;
    facts_.deepest_loop = std::max(facts_.deepest_loop, loop_depth_);
    note_wait(condition, body);
  }
  if (here.exiting.count(&loop)) here.exited = true;
  const bool moves = condition && value(condition).varies();
  here.scopes.back() = moves || here.ragged.count(&loop) > 0;
  if (here.scopes.back() && noting_) facts_.thread_dependent_loop = true;
  walk(body);
  walk(step);
  --loop_depth_;
  here.loops.pop_back();
  here.scopes.pop_back();
}

// A break, a continue or a return: under a condition that moves, only some threads take it.
void Walker::leave_early(bool whole_function) {
  Frame& here = frame();
  if (!diverged_since(0)) return;
  auto& leavers = whole_function ? here.exiting : here.ragged;
  for (auto loop = here.loops.rbegin(); loop != here.loops.rend(); ++loop) {
    here.changed |= leavers.insert(*loop).second;
    if (!whole_function) break;
  }
  if (whole_function) here.exited = true;
}

void Walker::walk_return(const clang::ReturnStmt& statement) {
  if (const clang::Expr* result = statement.getRetValue()) {
    Motion returned = value(result);
    returned.diverged |= diverged_since(0);
    const Motion joined = join(frame().returned, returned);
    frame().changed |= !(joined == frame().returned);
    frame().returned = joined;
  }
  leave_early(true);
}

void Walker::walk_asm(const clang::GCCAsmStmt& statement) {
  const llvm::StringRef text = statement.getAsmString() ? statement.getAsmString()->getString().trim() : "";
  if (!text.empty()) note(Feature::inline_ptx, statement.getAsmLoc(), text.substr(0, 60));  // empty: only orders memory
  for (unsigned i = 0; i < statement.getNumOutputs(); ++i)
    assign(statement.getOutputExpr(i), Motion{Motion::irregular, false, false, true}, false);
  for (unsigned i = 0; i < statement.getNumInputs(); ++i) value(statement.getInputExpr(i));
}

void Walker::declare(const clang::VarDecl& variable) {
  Frame& here = frame();
  note_type(variable.getType(), variable.getLocation());
  here.depth[&variable] = here.scopes.size();
  const clang::SourceLocation where = variable.getLocation();
  if (variable.hasAttr<clang::CUDASharedAttr>())
    note(variable.hasExternalStorage() ? Feature::shared_dynamic : Feature::shared_static, where, variable.getName());
  const auto type = variable.getType();
  if (type.isVolatileQualified() || (type->isPointerType() && type->getPointeeType().isVolatileQualified()))
    note(Feature::warp_implicit, where, variable.getName());
  const clang::Expr* init = variable.getInit();
  if (!init) return;
  if (type->isReferenceType() && is_memory(init->IgnoreImplicit()))
    set(variable, address(init->IgnoreImplicit()));
  else
    set(variable, value(init));
}

// A loop that does nothing but look at memory, or takes a lock: it waits for another thread.
void Walker::note_wait(const clang::Expr* condition, const clang::Stmt* body) {
  if (!condition) return;
  bool locks = false, looks = false;
  std::vector<const clang::Stmt*> rest = {condition};
  while (!rest.empty()) {
    const clang::Stmt* at = rest.back();
    rest.pop_back();
    if (!at) continue;
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(at)) {
      const auto* callee = call->getDirectCallee();
      const llvm::StringRef word = callee && callee->getIdentifier() ? callee->getName() : "";
      const auto is_literal = [&](unsigned i) {
        return call->getNumArgs() > i && llvm::isa<clang::IntegerLiteral>(call->getArg(i)->IgnoreParenCasts());
      };
      locks |= (word == "atomicCAS" && is_literal(1) && is_literal(2)) || (word == "atomicExch" && is_literal(1));
      looks |= word.starts_with("atomic") && body && body->children().empty();
    }
    const auto* expression = llvm::dyn_cast<clang::Expr>(at);
    if (expression && is_memory(expression)) {
      const bool empty =
          body && (llvm::isa<clang::NullStmt>(body) ||
                   (llvm::isa<clang::CompoundStmt>(body) && llvm::cast<clang::CompoundStmt>(body)->body_empty()));
      looks |= empty || expression->getType().isVolatileQualified();
    }
    for (const clang::Stmt* child : at->children()) rest.push_back(child);
  }
  if (locks || looks) note(Feature::spin_wait, condition->getBeginLoc());
}

}  // namespace tqm::port
