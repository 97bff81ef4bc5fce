#include <algorithm>
#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <utility>

#include "port/frontend/lowering.hpp"
#include "port/frontend/places.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port {

using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;

int Lowering::line(clang::SourceLocation where) const {
  return place_of(context_.getSourceManager(), where).line;
}

void Lowering::remark(ir::Remark::Severity severity, int number, clang::SourceLocation where, std::string text) {
  const int at = line(where);
  for (const auto& known : kernel_.remarks)
    if (known.number == number && known.line == at) return;
  kernel_.remarks.push_back({number, severity, at, std::move(text)});
}

void Lowering::refuse(int number, clang::SourceLocation where, std::string text) {
  remark(ir::Remark::Severity::refusal, number, where, std::move(text));
}

std::string Lowering::unique_name(std::string base) {
  if (base.empty()) base = "unnamed";
  base = legal_name(base);
  std::string name = base;
  for (int n = 2; !frame_->names.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

ir::VariableRef Lowering::temporary(const std::string& base, ir::TypeRef type) {
  return ir::make_variable(unique_name(base), std::move(type));
}

bool by_pointer(clang::QualType type) {
  if (!type->isReferenceType()) return false;
  const clang::QualType to = type.getNonReferenceType();
  return to->isArrayType() || (type->isLValueReferenceType() && !to.isConstQualified());
}

ir::VariableRef Lowering::new_variable(const clang::VarDecl* decl) {
  auto made = std::make_shared<ir::Variable>();
  made->name = unique_name(decl->getNameAsString());
  made->line = line(decl->getLocation());
  made->restrict_pointer = decl->getType().isRestrictQualified();
  const bool parameter = llvm::isa<clang::ParmVarDecl>(decl);
  if (parameter && decl->getType()->isReferenceType() && !by_pointer(decl->getType())) {
    made->type = ir::with_constant(type(decl->getType().getNonReferenceType(), decl->getLocation()), false);
  } else {
    made->type = type(decl->getType(), decl->getLocation());
    made->reference = decl->getType()->isReferenceType();
  }
  const clang::QualType inner = decl->getType()->isPointerType() ? decl->getType()->getPointeeType() : decl->getType();
  made->demoted = inner.getCanonicalType()->isSpecificBuiltinType(clang::BuiltinType::Double);
  frame_->variables[decl] = made;
  return made;
}

StmtRef Lowering::finish(Stmt stmt, const clang::Stmt* source) {
  const auto& sources = context_.getSourceManager();
  const auto begin = sources.getExpansionLoc(source->getBeginLoc());
  stmt.line = line(source->getBeginLoc());
  if (sources.getFileID(begin) == frame_->file && stmt.line > frame_->last_line) {
    stmt.comments = comments_.take(frame_->file, frame_->last_line + 1, stmt.line);
    frame_->last_line = stmt.line;
  }
  return std::make_shared<const Stmt>(std::move(stmt));
}

Stmts Lowering::body_of(const clang::Stmt* stmt) {
  Stmts result;
  if (stmt == nullptr) return result;
  if (const auto* compound = llvm::dyn_cast<clang::CompoundStmt>(stmt)) {
    for (const auto* inner : compound->body()) statement(inner, result);
  } else {
    statement(stmt, result);
  }
  return result;
}

void Lowering::statement(const clang::Stmt* given, Stmts& into) {
  using namespace clang;
  using llvm::dyn_cast;
  Stmt stmt;
  if (given == nullptr || llvm::isa<NullStmt>(given)) return;
  if (const auto* e = dyn_cast<Expr>(given)) return expression_statement(e, into);
  if (const auto* s = dyn_cast<DeclStmt>(given)) return declaration(s, into);
  if (const auto* s = dyn_cast<IfStmt>(given)) return if_statement(s, into);
  if (const auto* s = dyn_cast<ForStmt>(given)) return for_statement(s, into, false);
  if (const auto* s = dyn_cast<CXXForRangeStmt>(given)) return range_for(s, into);
  if (const auto* s = dyn_cast<SwitchStmt>(given)) return switch_statement(s, into);
  if (const auto* s = dyn_cast<AttributedStmt>(given)) {
    if (const auto* loop = dyn_cast<ForStmt>(s->getSubStmt())) return for_statement(loop, into, true);
    return statement(s->getSubStmt(), into);
  }
  if (const auto* s = dyn_cast<CompoundStmt>(given)) {
    stmt.kind = Stmt::Kind::block;
    StmtRef placed = finish(stmt, given);  // its comments before what is inside
    Stmt copy = *placed;
    copy.body = body_of(s);
    into.push_back(std::make_shared<const Stmt>(std::move(copy)));
    return;
  }
  if (const auto* s = dyn_cast<WhileStmt>(given)) {
    stmt.kind = Stmt::Kind::while_loop;
    if (s->getConditionVariable() != nullptr) {
      refuse(2001, given->getBeginLoc(), "a variable declared in the condition of while");
      return;
    }
    stmt.value = expr(s->getCond());
    Stmt copy = *finish(std::move(stmt), given);
    copy.body = body_of(s->getBody());
    into.push_back(std::make_shared<const Stmt>(std::move(copy)));
    return;
  }
  if (const auto* s = dyn_cast<DoStmt>(given)) {
    stmt.kind = Stmt::Kind::do_loop;
    Stmt copy = *finish(std::move(stmt), given);
    copy.body = body_of(s->getBody());
    copy.value = expr(s->getCond());
    // do { … } while (0): once.
    into.push_back(std::make_shared<const Stmt>(std::move(copy)));
    return;
  }
  if (llvm::isa<BreakStmt>(given)) {
    stmt.kind = Stmt::Kind::leave;
    into.push_back(finish(std::move(stmt), given));
    return;
  }
  if (llvm::isa<ContinueStmt>(given)) {
    stmt.kind = Stmt::Kind::next;
    into.push_back(finish(std::move(stmt), given));
    return;
  }
  if (const auto* s = dyn_cast<ReturnStmt>(given)) {
    stmt.kind = Stmt::Kind::give_back;
    if (const auto* value = s->getRetValue(); value != nullptr && !value->getType()->isVoidType())
      stmt.value = frame_->gives_place ? address_of(value->IgnoreParens()) : expr(value);
    else if (value != nullptr)
      expression_statement(value, into);
    into.push_back(finish(std::move(stmt), given));
    return;
  }
  if (const auto* s = dyn_cast<SwitchCase>(given)) {
    stmt.kind = Stmt::Kind::label;
    if (const auto* c = dyn_cast<CaseStmt>(s)) {
      if (c->getRHS() != nullptr) refuse(2001, given->getBeginLoc(), "a range of cases");
      stmt.value = expr(c->getLHS());
    }
    into.push_back(finish(std::move(stmt), given));
    return statement(s->getSubStmt(), into);
  }
  if (llvm::isa<GotoStmt>(given) || llvm::isa<LabelStmt>(given) || llvm::isa<IndirectGotoStmt>(given))
    return refuse(2010, given->getBeginLoc(), "goto");
  if (llvm::isa<AsmStmt>(given)) return refuse(2003, given->getBeginLoc(), "inline PTX: it is another machine's code");
  if (llvm::isa<CXXTryStmt>(given)) return refuse(2023, given->getBeginLoc(), "an exception in a kernel");
  refuse(2001, given->getBeginLoc(), std::string("the statement ") + given->getStmtClassName());
}

void Lowering::expression_statement(const clang::Expr* given, Stmts& into) {
  ir::ExprRef value = expr(given);
  // a, b as a statement is two.
  std::vector<ir::ExprRef> parts = {value};
  while (parts.back()->kind == ir::Expr::Kind::binary && parts.back()->op == ir::Op::comma) {
    const ir::ExprRef pair = parts.back();
    parts.back() = pair->args[1];
    parts.push_back(pair->args[0]);
  }
  value = parts.back();
  parts.pop_back();
  Stmt stmt;
  stmt.kind = Stmt::Kind::evaluate;
  if (value->kind == ir::Expr::Kind::intrinsic && value->name == "block_barrier") {
    stmt.kind = Stmt::Kind::barrier;
    into.push_back(finish(std::move(stmt), given));
    return;
  }
  // What has no effect leaves nothing but its comments: (void)x, a fence, printf.
  const bool nothing = !ir::has_effects(value);
  stmt.value = value;
  StmtRef placed = finish(std::move(stmt), given);
  if (!nothing) {
    into.push_back(std::move(placed));
  } else if (!placed->comments.empty()) {
    Stmt comment;
    comment.line = placed->line;
    comment.comments = placed->comments;
    into.push_back(std::make_shared<const Stmt>(std::move(comment)));
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    if (ir::has_effects(*part)) into.push_back(ir::evaluate(*part));
}

void Lowering::declaration(const clang::DeclStmt* stmt, Stmts& into) {
  for (const auto* decl : stmt->decls()) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(decl)) {
      const std::size_t before = into.size();
      variable_declaration(variable, into);
      if (into.size() > before) {
        Stmt copy = *into[before];
        copy.comments = finish(Stmt{}, stmt)->comments;
        copy.line = line(stmt->getBeginLoc());
        into[before] = std::make_shared<const Stmt>(std::move(copy));
      }
      continue;
    }
    const bool silent = llvm::isa<clang::TypeDecl>(decl) || llvm::isa<clang::UsingDecl>(decl) ||
                        llvm::isa<clang::UsingDirectiveDecl>(decl) || llvm::isa<clang::StaticAssertDecl>(decl) ||
                        llvm::isa<clang::EmptyDecl>(decl) || llvm::isa<clang::NamespaceAliasDecl>(decl) ||
                        llvm::isa<clang::FunctionDecl>(decl) || llvm::isa<clang::UsingShadowDecl>(decl);
    if (!silent) refuse(2001, decl->getLocation(), std::string("the declaration ") + decl->getDeclKindName());
  }
}

void Lowering::variable_declaration(const clang::VarDecl* decl, Stmts& into) {
  if (decl->isInvalidDecl()) return refuse(2002, decl->getLocation(), decl->getNameAsString() + " has an unknown type");
  if (decl->getType()->isVariableArrayType())
    return refuse(2013, decl->getLocation(), "the length of " + decl->getNameAsString() + " is known only at run time");
  const bool is_shared = decl->hasAttr<clang::CUDASharedAttr>();
  if (decl->isStaticLocal() && !is_shared && !decl->getType().isConstQualified())
    return refuse(2022, decl->getLocation(), "the static variable " + decl->getNameAsString());
  if (is_stateless(decl->getType()) || closure_declaration(decl, into)) return;
  const clang::Expr* init = decl->getInit();
  // constexpr and const integers of known value stay variables, for their names.
  const auto variable = new_variable(decl);
  if (is_shared) {
    variable->storage = decl->getType()->isIncompleteArrayType() ? ir::Storage::dynamic_shared : ir::Storage::shared;
    variable->type = ir::with_constant(variable->type, false);
    into.push_back(ir::declare(variable));
    return;
  }
  ir::ExprRef value;
  if (init != nullptr) {
    if (decl->getType()->isReferenceType()) {
      const clang::Expr* bare = init->IgnoreParens();
      if (const auto* cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(bare)) bare = cleanups->getSubExpr();
      if (llvm::isa<clang::MaterializeTemporaryExpr>(bare) || !bare->isLValue()) {
        variable->reference = false;
        variable->type = type(decl->getType().getNonReferenceType(), decl->getLocation());
        value = expr(bare);
      } else {
        value = address_of(bare);
      }
    } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(init->IgnoreImplicit());
               made != nullptr && made->getConstructor()->isDefaultConstructor() &&
               made->getConstructor()->isTrivial() && !made->requiresZeroInitialization()) {
      // Nothing happens.
    } else if (made != nullptr && ir::is_scalar(variable->type) && made->getNumArgs() == 0) {
      // A half without a value.
    } else if (made != nullptr && decl->getType()->isArrayType()) {
      if (!made->getConstructor()->isDefaulted() && !is_foreign(context_, made->getConstructor()))
        refuse(2001, decl->getLocation(), "an array of objects with a constructor");
    } else if (made != nullptr && made->getNumArgs() == 0 && is_foreign(context_, made->getConstructor())) {
      // float4 v; and the like hold nothing yet.
    } else {
      value = expr(init);
    }
  }
  // A value that some statement may change later must not look constant.
  if (variable->type->constant && value && ir::is_array(variable->type) == false && ir::has_effects(value))
    variable->type = ir::with_constant(variable->type, false);
  into.push_back(ir::declare(variable, value));
}

void Lowering::if_statement(const clang::IfStmt* given, Stmts& into) {
  if (given->getInit() != nullptr) statement(given->getInit(), into);
  if (given->getConditionVariable() != nullptr) variable_declaration(given->getConditionVariable(), into);
  if (const auto value = constant_integer(given->getCond())) {
    const clang::Stmt* taken = value->getBoolValue() ? given->getThen() : given->getElse();
    if (taken == nullptr) return;
    return statement(taken, into);
  }
  Stmt stmt;
  stmt.kind = Stmt::Kind::branch;
  stmt.value = expr(given->getCond());
  Stmt copy = *finish(std::move(stmt), given);
  copy.body = body_of(given->getThen());
  copy.other = body_of(given->getElse());
  into.push_back(std::make_shared<const Stmt>(std::move(copy)));
}

void Lowering::for_statement(const clang::ForStmt* given, Stmts& into, bool unrolled) {
  if (given->getConditionVariable() != nullptr)
    return refuse(2001, given->getBeginLoc(), "a variable declared in the condition of for");
  Stmt stmt;
  stmt.kind = Stmt::Kind::for_loop;
  stmt.unrolled = unrolled;
  Stmt placed = *finish(std::move(stmt), given);
  Stmts init;
  if (given->getInit() != nullptr) statement(given->getInit(), init);
  Stmts* target = &into;
  Stmts wrapped;
  if (init.size() == 1) {
    placed.init = init[0];
  } else if (init.size() > 1) {
    target = &wrapped;
    wrapped = init;
  }
  if (given->getCond() != nullptr) placed.value = expr(given->getCond());
  if (given->getInc() != nullptr) placed.step = expr(given->getInc());
  placed.body = body_of(given->getBody());
  target->push_back(std::make_shared<const Stmt>(std::move(placed)));
  if (target == &wrapped) into.push_back(ir::block(std::move(wrapped)));
}

void Lowering::range_for(const clang::CXXForRangeStmt* given, Stmts& into) {
  const clang::Expr* range = given->getRangeInit();
  const auto* array = context_.getAsConstantArrayType(range->getType().getNonReferenceType());
  if (array == nullptr) return refuse(2001, given->getBeginLoc(), "for over what is no array");
  const auto counter = temporary("at", ir::int_type());
  const ir::ExprRef base = expr(range);
  Stmt loop;
  loop.kind = Stmt::Kind::for_loop;
  loop.init = ir::declare(counter, ir::integer(0));
  loop.value = ir::binary(ir::Op::less, ir::use(counter),
                          ir::integer(static_cast<std::int64_t>(array->getSize().getZExtValue())));
  loop.step = ir::unary(ir::Op::pre_increment, ir::use(counter));
  Stmt placed = *finish(std::move(loop), given);
  const auto element = new_variable(given->getLoopVariable());
  const ir::ExprRef at = ir::subscript(base, ir::use(counter));
  placed.body.push_back(ir::declare(element, element->reference ? ir::unary(ir::Op::address, at) : at));
  for (auto& inner : body_of(given->getBody())) placed.body.push_back(std::move(inner));
  into.push_back(std::make_shared<const Stmt>(std::move(placed)));
}

void Lowering::switch_statement(const clang::SwitchStmt* given, Stmts& into) {
  if (given->getInit() != nullptr) statement(given->getInit(), into);
  Stmt stmt;
  stmt.kind = Stmt::Kind::choose;
  stmt.value = expr(given->getCond());
  Stmt placed = *finish(std::move(stmt), given);
  placed.body = body_of(given->getBody());
  into.push_back(std::make_shared<const Stmt>(std::move(placed)));
}

}  // namespace tqm::port
