#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include "port/frontend/walker.hpp"

namespace tqm::port {
namespace {

using clang::BinaryOperatorKind;

const clang::Expr* plain(const clang::Expr* expression) {
  return expression->IgnoreParens();
}

// x, y, z of threadIdx; none for anything else.
std::optional<char> thread_axis(const clang::MemberExpr& member) {
  const auto* base = llvm::dyn_cast<clang::DeclRefExpr>(member.getBase()->IgnoreParenImpCasts());
  if (!base || base->getNameInfo().getAsString() != "threadIdx") return std::nullopt;
  const std::string axis = member.getMemberNameInfo().getAsString();
  return axis.empty() ? 'x' : axis[0];
}

bool is_subscript(const clang::Expr* expression) {
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expression);
  return call && call->getOperator() == clang::OO_Subscript && call->getNumArgs() == 2;
}

bool is_small_vector(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && feature_of_word(record->getName()) == Feature::vector_type;
}

}  // namespace

// An lvalue that lies in memory reached by a pointer or an array, not in a variable.
bool Walker::is_memory(const clang::Expr* expression) {
  expression = expression->IgnoreParenImpCasts();
  if (llvm::isa<clang::ArraySubscriptExpr>(expression) || is_subscript(expression)) return true;
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression))
    return unary->getOpcode() == clang::UO_Deref;
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression))
    return member->isArrow() ? !llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())
                             : is_memory(member->getBase());
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression))
    return name->getDecl()->getType()->isReferenceType();
  return false;
}

// A local object of a class holds its own memory; PyTorch's accessors, and types that are not known, only point.
bool Walker::is_private_object(const clang::VarDecl& variable) {
  if (!variable.hasLocalStorage() || variable.getType()->isDependentType()) return false;
  const auto* record = variable.getType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && feature_of_word(record->getName()) != Feature::accessor &&
         !llvm::isa<clang::ParmVarDecl>(variable);
}

const clang::VarDecl* Walker::root_of(const clang::Expr* expression) const {
  for (;;) {
    expression = expression->IgnoreParenCasts();
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
      expression = subscript->getBase();
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
      expression = member->getBase();
    } else if (is_subscript(expression)) {
      expression = llvm::cast<clang::CXXOperatorCallExpr>(expression)->getArg(0);
    } else {
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression);
      return name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    }
  }
}

// Of an lvalue: where it lies. What it computes on the way is noted.
Motion Walker::address(const clang::Expr* given) {
  const clang::Expr* expression = given->IgnoreParenImpCasts();
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression))
    return added(value(subscript->getBase()), value(subscript->getIdx()));
  if (is_subscript(expression)) {
    const auto* call = llvm::cast<clang::CXXOperatorCallExpr>(expression);
    note_type(call->getArg(0)->getType(), call->getBeginLoc());
    return added(address(call->getArg(0)), value(call->getArg(1)));
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression))
    if (unary->getOpcode() == clang::UO_Deref) return value(unary->getSubExpr());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
    Motion where = member->isArrow() ? value(member->getBase()) : address(member->getBase());
    if (where.x == Motion::unit && !is_small_vector(member->getBase()->getType())) where.x = Motion::strided;
    return where;
  }
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable && variable->getType()->isReferenceType()) return frame().values[variable];
    Motion where = value_of_name(*name);
    if (variable && is_private_object(*variable)) where = Motion{.private_ = true};
    return where;
  }
  return value(expression);
}

void Walker::note_access(const Motion& where, bool write, const clang::Expr* expression) {
  if (!noting_ || where.shared || where.private_) return;
  const AccessPattern pattern = pattern_of(where);
  ++(write ? facts_.writes : facts_.reads)[pattern];
  if (pattern == AccessPattern::indirect) note(Feature::indirect_access, expression->getExprLoc());
}

Motion Walker::read(const clang::Expr* expression) {
  return read_at(address(expression), expression);
}

Motion Walker::read_at(const Motion& where, const clang::Expr* expression) {
  note_access(where, false, expression);
  if (where.private_) {
    const clang::VarDecl* root = root_of(expression);
    Motion held = root ? frame().values[root] : Motion{};
    held.private_ = false;
    held.diverged |= where.varies();
    return held;
  }
  Motion result;
  if (where.varies()) result.x = Motion::irregular;
  result.loaded = where.varies();
  return result;
}

Motion Walker::value(const clang::Expr* given) {
  if (!given) return {};
  const clang::Expr* expression = plain(given);
  if (!llvm::isa<clang::FloatingLiteral>(expression) && !llvm::isa<clang::CastExpr>(expression))
    note_type(expression->getType(), expression->getExprLoc());
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
    if (name->getDecl()->getType()->isReferenceType() && llvm::isa<clang::VarDecl>(name->getDecl()))
      return read(expression);
    return value_of_name(*name);
  }
  if (llvm::isa<clang::CXXThisExpr>(expression)) return frame().self;
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression)) return value_of_member(*member);
  if (is_subscript(expression)) return read(expression);
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) return value_of_call(*call);
  if (llvm::isa<clang::ArraySubscriptExpr>(expression)) {
    // An array within an array is only a place; reading begins with its elements.
    if (expression->getType()->isArrayType()) return address(expression);
    return read(expression);
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) return value_of_unary(*unary);
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) return value_of_binary(*binary);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
    if (!llvm::isa<clang::FloatingLiteral>(cast->getSubExpr()->IgnoreParens()) &&
        llvm::isa<clang::ExplicitCastExpr>(cast))
      note_type(cast->getType(), cast->getExprLoc());
    return value(cast->getSubExpr());
  }
  if (const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(expression)) {
    const Motion condition = value(choice->getCond());
    Motion result = join(value(choice->getTrueExpr()), value(choice->getFalseExpr()));
    result.diverged |= condition.varies();
    if (condition.loaded) result = scrambled(result, condition);
    return result;
  }
  if (const auto* fresh = llvm::dyn_cast<clang::CXXNewExpr>(expression)) {
    if (fresh->getNumPlacementArgs() == 0) note(Feature::device_heap, fresh->getBeginLoc(), "new");
  } else if (llvm::isa<clang::CXXDeleteExpr>(expression)) {
    note(Feature::device_heap, expression->getBeginLoc(), "delete");
  } else if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(expression)) {
    for (const clang::Expr* captured : lambda->capture_inits()) value(captured);
    return {};
  } else if (const auto* unresolved = llvm::dyn_cast<clang::OverloadExpr>(expression)) {
    note_word(unresolved->getName().getAsString(), unresolved->getNameLoc());
  } else if (const auto* dependent = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(expression)) {
    note_word(dependent->getMember().getAsString(), dependent->getMemberLoc());
    return dependent->isImplicitAccess() ? Motion{} : value(dependent->getBase());
  }
  Motion result;
  for (const clang::Stmt* child : expression->children()) {
    if (const auto* part = llvm::dyn_cast_or_null<clang::Expr>(child))
      result = scrambled(result, value(part));
    else
      walk(child);
  }
  return result;
}

Motion Walker::value_of_name(const clang::DeclRefExpr& name) {
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  if (!variable) return {};
  Motion pointer;
  const clang::SourceLocation where = name.getLocation();
  if (variable->hasAttr<clang::CUDASharedAttr>()) {
    pointer.shared = true;
    if (variable->hasGlobalStorage() && !variable->isStaticLocal())
      note(variable->hasExternalStorage() ? Feature::shared_dynamic : Feature::shared_static, where,
           variable->getName());
    return pointer;
  }
  if (variable->hasGlobalStorage() && in_users_file(variable->getLocation())) {
    const auto* constant = variable->getAttr<clang::CUDAConstantAttr>();
    if (constant && !constant->isImplicit()) note(Feature::constant_memory, where, variable->getName());
    if (!constant && (variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::HIPManagedAttr>()))
      note(Feature::device_variable, where, variable->getName());
  }
  if (variable->hasLocalStorage() && variable->getType()->isArrayType()) {
    pointer.private_ = true;
    return pointer;
  }
  const auto at = frame().values.find(variable);
  return at == frame().values.end() ? Motion{} : at->second;
}

Motion Walker::value_of_member(const clang::MemberExpr& member) {
  if (const auto axis = thread_axis(member)) {
    Motion thread;
    thread.x = *axis == 'x' ? Motion::unit : Motion::still;
    thread.rows = *axis != 'x';
    return thread;
  }
  if (is_memory(&member)) {
    if (member.getType()->isArrayType()) return address(&member);
    return read(&member);
  }
  note_word(member.getMemberNameInfo().getAsString(), member.getMemberLoc());
  return value(member.getBase());
}

Motion Walker::value_of_unary(const clang::UnaryOperator& operation) {
  switch (operation.getOpcode()) {
    case clang::UO_Deref:
      if (operation.getType()->isArrayType() || operation.getType()->isFunctionType())
        return value(operation.getSubExpr());
      return read(&operation);
    case clang::UO_AddrOf: {
      const clang::Expr* target = operation.getSubExpr()->IgnoreParenImpCasts();
      if (is_memory(target)) return address(target);
      Motion pointer = value(target);
      const clang::VarDecl* root = root_of(target);
      if (root && root->hasLocalStorage()) pointer.private_ = true;
      return pointer;
    }
    case clang::UO_PreInc:
    case clang::UO_PreDec:
    case clang::UO_PostInc:
    case clang::UO_PostDec: {
      const bool memory = is_memory(operation.getSubExpr());
      const Motion before = memory ? Motion{} : value(operation.getSubExpr());
      assign(operation.getSubExpr(), before, true);
      return before;
    }
    default:
      return value(operation.getSubExpr());
  }
}

// A remainder or mask by a number keeps neighbours neighbours, but at its ends; a quotient is the same for a group.
Motion Walker::combined(BinaryOperatorKind kind, const Motion& a, const Motion& b, const clang::Expr* right) {
  const bool by_number =
      !right->isValueDependent() && right->isIntegerConstantExpr(kernel_.getASTContext()) && !b.varies();
  switch (kind) {
    case clang::BO_Add:
    case clang::BO_AddAssign:
      return added(a, b);
    case clang::BO_Sub:
    case clang::BO_SubAssign:
      return subtracted(a, b);
    case clang::BO_Mul:
    case clang::BO_MulAssign:
    case clang::BO_Shl:
    case clang::BO_ShlAssign:
      return multiplied(a, b);
    case clang::BO_Rem:
    case clang::BO_RemAssign:
    case clang::BO_And:
    case clang::BO_AndAssign:
      if (by_number && a.x == Motion::unit) return join(a, b);
      return scrambled(a, b);
    case clang::BO_Div:
    case clang::BO_DivAssign:
    case clang::BO_Shr:
    case clang::BO_ShrAssign:
      if (by_number && a.x == Motion::unit) {
        Motion group = join(a, b);
        group.x = Motion::still;
        group.rows = true;
        return group;
      }
      return scrambled(a, b);
    case clang::BO_Comma:
      return b;
    default:
      return scrambled(a, b);
  }
}

Motion Walker::value_of_binary(const clang::BinaryOperator& operation) {
  const clang::Expr* left = operation.getLHS();
  const clang::Expr* right = operation.getRHS();
  if (operation.getOpcode() == clang::BO_Assign) {
    const Motion result = value(right);
    assign(left, result, false);
    return result;
  }
  if (operation.isCompoundAssignmentOp()) {
    const bool memory = is_memory(left);
    const Motion addend = value(right);
    const Motion before = memory ? Motion{} : value(left);
    if (noting_ && loop_depth_ > 0 && operation.getOpcode() == clang::BO_AddAssign) {
      const auto* product = llvm::dyn_cast<clang::BinaryOperator>(right->IgnoreParenImpCasts());
      if (product && product->getOpcode() == clang::BO_Mul && is_memory(product->getLHS()) &&
          is_memory(product->getRHS()))
        facts_.multiply_add_loop = true;
      if (operation.getType()->isFloatingType() || addend.loaded) facts_.loop_carried_sum = true;
    }
    const Motion result = combined(operation.getOpcode(), before, addend, right);
    assign(left, memory ? join(result, addend) : result, true);
    return result;
  }
  const Motion a = value(left);
  return combined(operation.getOpcode(), a, value(right), right);
}

void Walker::assign(const clang::Expr* target, const Motion& given, bool reads_too) {
  target = target->IgnoreParenImpCasts();
  if (is_memory(target)) {
    const Motion where = address(target);
    if (reads_too) note_access(where, false, target);
    note_access(where, true, target);
    const clang::VarDecl* root = where.private_ ? root_of(target) : nullptr;
    if (root) {
      Motion held = given;
      held.diverged |= where.varies();
      set(*root, held);
    }
    return;
  }
  if (const clang::VarDecl* variable = root_of(target)) {
    if (!llvm::isa<clang::DeclRefExpr>(target)) value(target);
    set(*variable, given);
  } else {
    value(target);
  }
}

void Walker::set(const clang::VarDecl& variable, Motion given) {
  Frame& here = frame();
  const auto depth = here.depth.find(&variable);
  given.diverged |= diverged_since(depth == here.depth.end() ? 0 : depth->second);
  const auto [at, fresh] = here.values.try_emplace(&variable, given);
  const Motion joined = join(at->second, given);
  here.changed |= fresh || !(joined == at->second);
  at->second = joined;
}

}  // namespace tqm::port
