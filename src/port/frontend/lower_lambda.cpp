// Lambdas. A closure never becomes an object: what it captured is handed to its body as parameters before its own, what
// it captured by reference as a pointer, and a parameter of a closure's type becomes one parameter for each capture. So
// after inlining the body speaks of the variables themselves.
#include <utility>

#include "port/frontend/lowering.hpp"

namespace tqm::port {

using ir::ExprRef;
using ir::Op;

namespace {

constexpr int kLambda = 2019;

// What a closure is copied or moved from.
const clang::Expr* source_of(const clang::Expr* given) {
  while (true) {
    const clang::Expr* expr = given->IgnoreParenImpCasts();
    if (const auto* made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expr))
      expr = made->getSubExpr();
    else if (const auto* cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(expr))
      expr = cleanups->getSubExpr();
    else if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(expr))
      expr = bound->getSubExpr();
    else if (const auto* made_from = llvm::dyn_cast<clang::CXXConstructExpr>(expr);
             made_from != nullptr && made_from->getNumArgs() == 1)
      expr = made_from->getArg(0);
    else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expr);
             call != nullptr && call->getNumArgs() == 1 && call->isCallToStdMove())
      expr = call->getArg(0);
    if (expr == given) return expr;
    given = expr;
  }
}

}  // namespace

const clang::CXXRecordDecl* closure_of(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->isLambda() ? record : nullptr;
}

std::vector<ExprRef> Lowering::captured_by(const clang::LambdaExpr* lambda, ir::Stmts* into) {
  std::vector<ExprRef> values;
  auto init = lambda->capture_init_begin();
  for (const clang::LambdaCapture& capture : lambda->captures()) {
    const clang::Expr* from = *init++;
    if (capture.getCaptureKind() == clang::LCK_This) {
      values.push_back(expr(from));
      continue;
    }
    if (!capture.capturesVariable()) {
      refuse(kLambda, capture.getLocation(), "this kind of capture of a lambda");
      continue;
    }
    const auto* variable = capture.getCapturedVar();
    if (closure_of(variable->getType()) != nullptr) {
      for (auto& value : closure(from)) values.push_back(std::move(value));
    } else if (capture.getCaptureKind() == clang::LCK_ByRef) {
      values.push_back(address_of(from));
    } else if (variable->getType().getNonReferenceType()->isArrayType()) {
      refuse(kLambda, capture.getLocation(), "a lambda that copies an array");
    } else if (into == nullptr || (variable->getType().isConstQualified() && !variable->isInitCapture())) {
      values.push_back(expr(from));
    } else {  // as it was when the closure was made
      const auto kept = temporary(variable->getNameAsString(),
                                  ir::with_constant(type(variable->getType(), from->getBeginLoc()), true));
      into->push_back(ir::declare(kept, expr(from)));
      values.push_back(ir::use(kept));
    }
  }
  return values;
}

std::vector<ExprRef> Lowering::closure(const clang::Expr* given) {
  const clang::Expr* source = source_of(given);
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(source)) return captured_by(lambda, nullptr);
  if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(source))
    if (const auto known = frame_->closures.find(ref->getDecl()); known != frame_->closures.end()) return known->second;
  refuse(kLambda, given->getBeginLoc(), "a lambda that is kept where it can't be followed");
  return {};
}

bool Lowering::closure_declaration(const clang::VarDecl* decl, ir::Stmts& into) {
  const auto* record = closure_of(decl->getType());
  if (record == nullptr || decl->getInit() == nullptr) return false;
  closure_names_.emplace(record, decl->getNameAsString());
  const clang::Expr* source = source_of(decl->getInit());
  const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(source);
  frame_->closures[decl] = lambda != nullptr ? captured_by(lambda, &into) : closure(source);
  return true;
}

std::vector<ExprRef> Lowering::closure_parameters(const clang::CXXRecordDecl* record) {
  std::vector<ExprRef> uses;
  auto field = record->field_begin();
  for (const clang::LambdaCapture& capture : record->captures()) {
    const clang::FieldDecl* held = *field++;
    if (const auto* inner = closure_of(held->getType())) {
      for (auto& use : closure_parameters(inner)) uses.push_back(std::move(use));
      continue;
    }
    const bool named = capture.capturesVariable();
    const auto param = temporary(named ? capture.getCapturedVar()->getNameAsString() : "self",
                                 ir::with_constant(type(held->getType(), capture.getLocation()), false));
    param->storage = ir::Storage::parameter;
    frame_->function->params.push_back(param);
    uses.push_back(ir::use(param));
  }
  return uses;
}

// The body's own names for what was captured.
void Lowering::bind_captures(const clang::CXXRecordDecl* record, const std::vector<ExprRef>& uses) {
  auto use = uses.begin();
  for (const clang::LambdaCapture& capture : record->captures()) {
    if (!capture.capturesVariable()) {
      frame_->self = (*use++)->variable;
      continue;
    }
    const auto* variable = capture.getCapturedVar();
    if (const auto* inner = closure_of(variable->getType())) {
      const auto count = static_cast<std::ptrdiff_t>(captures_in(inner));
      frame_->closures[variable] = {use, use + count};
      use += count;
      continue;
    }
    const bool by_reference = capture.getCaptureKind() == clang::LCK_ByRef;
    frame_->captured[variable] = by_reference ? ir::unary(Op::dereference, *use) : *use;
    ++use;
  }
}

std::size_t Lowering::captures_in(const clang::CXXRecordDecl* record) {
  std::size_t count = 0;
  for (const clang::LambdaCapture& capture : record->captures()) {
    const auto* inner = capture.capturesVariable() ? closure_of(capture.getCapturedVar()->getType()) : nullptr;
    count += inner != nullptr ? captures_in(inner) : 1;
  }
  return count;
}

void Lowering::lambda_parameters(const clang::CXXMethodDecl* body) {
  const auto* record = body->getParent();
  const bool copies = std::any_of(record->captures_begin(), record->captures_end(),
                                  [](const auto& capture) { return capture.getCaptureKind() == clang::LCK_ByCopy; });
  if (!body->isConst() && !body->isStatic() && copies)
    refuse(kLambda, body->getLocation(), "a lambda that may change its own copies");
  bind_captures(record, closure_parameters(record));
}

// Of a kernel the parameter stays what the host hands over: an object with a field for each capture.
void Lowering::closure_of_the_host(const clang::ParmVarDecl* param) {
  const auto* record = closure_of(param->getType());
  const auto variable = new_variable(param);
  variable->storage = ir::Storage::parameter;
  frame_->function->params.push_back(variable);
  if (!ir::is_record(variable->type)) return;
  const auto& fields = variable->type->record->fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    ir::Expr node;
    node.kind = ir::Expr::Kind::member;
    node.field = static_cast<int>(i);
    node.name = fields[i].name;
    node.type = fields[i].type;
    node.args = {ir::use(variable)};
    frame_->closures[param].push_back(std::make_shared<const ir::Expr>(std::move(node)));
  }
  if (captures_in(record) != fields.size())
    refuse(kLambda, param->getLocation(), "a lambda within a lambda of the host");
}

}  // namespace tqm::port
