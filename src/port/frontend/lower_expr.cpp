#include <algorithm>
#include <clang/AST/Attr.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <utility>

#include "port/frontend/lowering.hpp"
#include "port/frontend/places.hpp"

namespace tqm::port {

using ir::Expr;
using ir::ExprRef;
using ir::Index;
using ir::Op;

namespace {

Op op_of(clang::BinaryOperatorKind kind) {
  switch (kind) {
    case clang::BO_Mul:
    case clang::BO_MulAssign:
      return Op::multiply;
    case clang::BO_Div:
    case clang::BO_DivAssign:
      return Op::divide;
    case clang::BO_Rem:
    case clang::BO_RemAssign:
      return Op::remainder;
    case clang::BO_Add:
    case clang::BO_AddAssign:
      return Op::add;
    case clang::BO_Sub:
    case clang::BO_SubAssign:
      return Op::subtract;
    case clang::BO_Shl:
    case clang::BO_ShlAssign:
      return Op::shift_left;
    case clang::BO_Shr:
    case clang::BO_ShrAssign:
      return Op::shift_right;
    case clang::BO_And:
    case clang::BO_AndAssign:
      return Op::bit_and;
    case clang::BO_Xor:
    case clang::BO_XorAssign:
      return Op::bit_xor;
    case clang::BO_Or:
    case clang::BO_OrAssign:
      return Op::bit_or;
    case clang::BO_LT:
      return Op::less;
    case clang::BO_GT:
      return Op::greater;
    case clang::BO_LE:
      return Op::less_equal;
    case clang::BO_GE:
      return Op::greater_equal;
    case clang::BO_EQ:
      return Op::equal;
    case clang::BO_NE:
      return Op::not_equal;
    case clang::BO_LAnd:
      return Op::logical_and;
    case clang::BO_LOr:
      return Op::logical_or;
    case clang::BO_Comma:
      return Op::comma;
    default:
      return Op::none;
  }
}

std::optional<Index> builtin_index(const std::string& variable, const std::string& field) {
  if (field != "x" && field != "y" && field != "z") return std::nullopt;
  const int axis = field[0] - 'x';
  const auto at = [&](Index first) { return static_cast<Index>(static_cast<int>(first) + axis); };
  if (variable == "threadIdx") return at(Index::thread_x);
  if (variable == "blockIdx") return at(Index::block_x);
  if (variable == "blockDim") return at(Index::block_dim_x);
  if (variable == "gridDim") return at(Index::grid_dim_x);
  return std::nullopt;
}

const clang::Expr* bare(const clang::Expr* expr) {
  return expr->IgnoreParenImpCasts();
}

}  // namespace

std::optional<llvm::APSInt> Lowering::constant_integer(const clang::Expr* expr) const {
  if (expr->isValueDependent() || !expr->getType()->isIntegralOrEnumerationType()) return std::nullopt;
  clang::Expr::EvalResult result;
  if (!expr->EvaluateAsInt(result, context_) || result.HasSideEffects) return std::nullopt;
  return result.Val.getInt();
}

ExprRef Lowering::constant_real(const clang::Expr* expr) {
  clang::Expr::EvalResult result;
  if (expr->isValueDependent() || !expr->getType()->isRealFloatingType()) return nullptr;
  if (!expr->EvaluateAsRValue(result, context_) || !result.Val.isFloat() || result.HasSideEffects) return nullptr;
  llvm::APFloat value = result.Val.getFloat();
  bool loses = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  Expr node;
  node.kind = Expr::Kind::floating;
  node.real = value.convertToDouble();
  return typed(std::move(node), expr);
}

ExprRef Lowering::typed(Expr node, const clang::Expr* source) {
  if (!node.type) node.type = type(source->getType(), source->getBeginLoc());
  node.line = line(source->getBeginLoc());
  return std::make_shared<const Expr>(std::move(node));
}

ExprRef Lowering::zero(const ir::TypeRef& type) {
  if (ir::is_floating(type)) return ir::real(0, ir::with_constant(type, false));
  if (ir::is_integer(type)) return ir::integer(0, ir::with_constant(type, false));
  if (ir::is_pointer(type)) return ir::cast(type, ir::integer(0));
  Expr node;
  node.kind = Expr::Kind::aggregate;
  node.type = type;
  return std::make_shared<const Expr>(std::move(node));
}

ExprRef Lowering::expr(const clang::Expr* given) {
  using namespace clang;
  using llvm::dyn_cast;
  if (const auto* e = dyn_cast<ParenExpr>(given)) return expr(e->getSubExpr());
  if (const auto* e = dyn_cast<ExprWithCleanups>(given)) return expr(e->getSubExpr());
  if (const auto* e = dyn_cast<MaterializeTemporaryExpr>(given)) return expr(e->getSubExpr());
  if (const auto* e = dyn_cast<CXXBindTemporaryExpr>(given)) return expr(e->getSubExpr());
  if (const auto* e = dyn_cast<SubstNonTypeTemplateParmExpr>(given)) return expr(e->getReplacement());
  if (const auto* e = dyn_cast<CXXDefaultArgExpr>(given)) return expr(e->getExpr());
  if (const auto* e = dyn_cast<CXXDefaultInitExpr>(given)) return expr(e->getExpr());
  if (const auto* e = dyn_cast<ConstantExpr>(given)) {
    if (const auto value = constant_integer(e)) {
      Expr node;
      node.value = value->getExtValue();
      return typed(std::move(node), given);
    }
    return expr(e->getSubExpr());
  }
  if (const auto* e = dyn_cast<IntegerLiteral>(given)) {
    Expr node;
    node.value = static_cast<std::int64_t>(e->getValue().getLimitedValue());
    return typed(std::move(node), given);
  }
  if (const auto* e = dyn_cast<CharacterLiteral>(given)) {
    Expr node;
    node.value = static_cast<std::int64_t>(e->getValue());
    return typed(std::move(node), given);
  }
  if (const auto* e = dyn_cast<CXXBoolLiteralExpr>(given)) {
    Expr node;
    node.value = e->getValue() ? 1 : 0;
    return typed(std::move(node), given);
  }
  if (const auto* e = dyn_cast<FloatingLiteral>(given)) {
    Expr node;
    node.kind = Expr::Kind::floating;
    node.real = e->getValue().convertToDouble();
    // A literal without f is a double only by default: where it is used with floats, nothing is lost that CUDA had.
    if (e->getType()->isSpecificBuiltinType(BuiltinType::Double)) node.type = demoted(given->getBeginLoc());
    return typed(std::move(node), given);
  }
  if (const auto* e = dyn_cast<clang::StringLiteral>(given)) {
    Expr node;
    node.kind = Expr::Kind::text;
    node.name = e->getBytes().str();
    node.type = ir::pointer_to(ir::scalar_type(ir::Scalar::i8));
    return typed(std::move(node), given);
  }
  if (llvm::isa<CXXNullPtrLiteralExpr>(given) || llvm::isa<GNUNullExpr>(given))
    return zero(ir::pointer_to(ir::void_type()));
  if (llvm::isa<ImplicitValueInitExpr>(given) || llvm::isa<CXXScalarValueInitExpr>(given))
    return zero(type(given->getType(), given->getBeginLoc()));
  if (const auto* e = dyn_cast<UnaryExprOrTypeTraitExpr>(given)) {
    const auto value = constant_integer(e);
    if (!value) return refuse_expr(2013, given->getBeginLoc(), "sizeof of a length known only at run time");
    std::int64_t bytes = value->getExtValue();
    if (e->getKind() == UETT_SizeOf) {
      const auto of = type(e->getTypeOfArgument(), given->getBeginLoc());
      if (!ir::is_record(of) || of->record->line == 0) bytes = ir::size_of(of) > 0 ? ir::size_of(of) : bytes;
    }
    return ir::integer(bytes, ir::scalar_type(ir::Scalar::u64));
  }
  if (const auto* e = dyn_cast<DeclRefExpr>(given)) return declared(e->getDecl(), given);
  if (llvm::isa<CXXThisExpr>(given)) {
    if (!frame_->self) return refuse_expr(2001, given->getBeginLoc(), "this outside a method");
    ExprRef self = ir::use(frame_->self);
    return frame_->self_is_value ? ir::unary(Op::address, self) : self;
  }
  if (const auto* e = dyn_cast<MemberExpr>(given)) return member(e);
  if (const auto* e = dyn_cast<ArraySubscriptExpr>(given)) {
    ExprRef base = expr(e->getBase());
    ExprRef position = expr(e->getIdx());
    if (!base->type->element) return refuse_expr(2001, given->getBeginLoc(), "a subscript of what is no array");
    Expr node;
    node.kind = Expr::Kind::subscript;
    node.type = base->type->element;
    node.args = {base, position};
    return typed(std::move(node), given);
  }
  if (const auto* e = dyn_cast<UnaryOperator>(given)) return unary(e);
  if (const auto* e = dyn_cast<BinaryOperator>(given)) return binary(e);
  if (const auto* e = dyn_cast<ConditionalOperator>(given)) {
    if (const auto value = constant_integer(e->getCond()); value)
      return expr(value->getBoolValue() ? e->getTrueExpr() : e->getFalseExpr());
    Expr node;
    node.kind = Expr::Kind::conditional;
    node.args = {expr(e->getCond()), expr(e->getTrueExpr()), expr(e->getFalseExpr())};
    return typed(std::move(node), given);
  }
  if (const auto* e = dyn_cast<CastExpr>(given)) return cast_of(e);
  if (const auto* e = dyn_cast<InitListExpr>(given)) return initializer(e);
  if (const auto* e = dyn_cast<CXXConstructExpr>(given)) return construct(e);
  if (const auto* e = dyn_cast<CXXOperatorCallExpr>(given)) return operator_call(e);
  if (const auto* e = dyn_cast<CXXMemberCallExpr>(given)) return method_call(e);
  if (llvm::isa<CUDAKernelCallExpr>(given))
    return refuse_expr(2004, given->getBeginLoc(), "a kernel launched from a kernel: the chip can't start work itself");
  if (const auto* e = dyn_cast<CallExpr>(given)) return call(e);
  if (const auto* e = dyn_cast<PseudoObjectExpr>(given)) {
    if (const auto* ref = dyn_cast<MSPropertyRefExpr>(e->getSyntacticForm()))
      if (const auto* base = dyn_cast<DeclRefExpr>(bare(ref->getBaseExpr())))
        if (const auto which =
                builtin_index(base->getDecl()->getNameAsString(), ref->getPropertyDecl()->getNameAsString()))
          return ir::index(*which);
    return expr(e->getResultExpr());
  }
  if (const auto* e = dyn_cast<OpaqueValueExpr>(given); e && e->getSourceExpr()) return expr(e->getSourceExpr());
  if (llvm::isa<CXXNewExpr>(given) || llvm::isa<CXXDeleteExpr>(given))
    return refuse_expr(2012, given->getBeginLoc(), "memory taken in a kernel: the chip has no heap");
  if (llvm::isa<LambdaExpr>(given))
    return refuse_expr(2019, given->getBeginLoc(), "a lambda that is kept where it can't be followed");
  if (llvm::isa<RecoveryExpr>(given) || given->containsErrors())
    return refuse_expr(2002, given->getBeginLoc(), "Clang could not resolve this expression");
  if (llvm::isa<CXXThrowExpr>(given)) return refuse_expr(2023, given->getBeginLoc(), "an exception in a kernel");
  if (const auto value = constant_integer(given)) {
    Expr node;
    node.value = value->getExtValue();
    return typed(std::move(node), given);
  }
  return refuse_expr(2001, given->getBeginLoc(), std::string("the expression ") + given->getStmtClassName());
}

ExprRef Lowering::declared(const clang::ValueDecl* decl, const clang::Expr* at) {
  if (decl->isInvalidDecl())
    return refuse_expr(2002, at->getBeginLoc(), decl->getNameAsString() + " has an unknown type");
  if (const auto* constant = llvm::dyn_cast<clang::EnumConstantDecl>(decl)) {
    Expr node;
    node.value = constant->getInitVal().getExtValue();
    return typed(std::move(node), at);
  }
  if (const auto known = frame_->captured.find(decl); known != frame_->captured.end()) return known->second;
  if (const auto known = frame_->variables.find(decl); known != frame_->variables.end()) {
    ExprRef variable = ir::use(known->second);
    return known->second->reference ? ir::unary(Op::dereference, variable) : variable;
  }
  const std::string name = decl->getNameAsString();
  if (name == "warpSize") return ir::index(Index::warp_size);
  if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(decl)) return global(variable, at);
  if (llvm::isa<clang::FunctionDecl>(decl))
    return refuse_expr(2006, at->getBeginLoc(), "the address of function " + name);
  return refuse_expr(2001, at->getBeginLoc(), "a use of " + name);
}

ExprRef Lowering::global(const clang::VarDecl* decl, const clang::Expr* at) {
  if (const auto known = globals_.find(decl->getCanonicalDecl()); known != globals_.end())
    return ir::use(known->second);
  const clang::VarDecl* definition = decl->getDefinition();
  if (definition == nullptr) definition = decl;
  // Clang marks the host's constants as __constant__ by itself; only what the user marked can be filled by the host.
  const auto marked = [&](const clang::Attr* attr) { return attr != nullptr && !attr->isImplicit(); };
  const bool is_shared = marked(decl->getAttr<clang::CUDASharedAttr>());
  const bool on_device = marked(decl->getAttr<clang::CUDAConstantAttr>()) ||
                         marked(decl->getAttr<clang::CUDADeviceAttr>()) || is_shared ||
                         marked(decl->getAttr<clang::HIPManagedAttr>());
  const clang::Expr* init = definition->getAnyInitializer();
  const bool fixed = !is_shared && init != nullptr && !init->isValueDependent() &&
                     (decl->isConstexpr() || context_.getBaseElementType(decl->getType()).isConstQualified());
  if (fixed) {
    if (const auto value = constant_integer(at)) {
      Expr node;
      node.value = value->getExtValue();
      return typed(std::move(node), at);
    }
    if (auto value = constant_real(at)) return value;
  }
  if (!on_device && !fixed)
    return refuse_expr(2022, at->getBeginLoc(), decl->getNameAsString() + " is a variable of the host");
  auto made = std::make_shared<ir::Variable>();
  made->name = legal_name(decl->getNameAsString());
  made->line = line(decl->getLocation());
  if (is_shared) {
    made->storage = decl->getType()->isIncompleteArrayType() ? ir::Storage::dynamic_shared : ir::Storage::shared;
    made->type = type(decl->getType(), decl->getLocation());
    made->name = unique_name(made->name);
    globals_[decl->getCanonicalDecl()] = made;
    frame_->variables[decl] = made;
    return ir::use(made);
  }
  made->storage =
      marked(decl->getAttr<clang::CUDADeviceAttr>()) && !fixed ? ir::Storage::device : ir::Storage::constant;
  made->type = type(definition->getType(), decl->getLocation());
  if (!fixed) made->symbol = clang::ASTNameGenerator(context_).getName(decl);
  std::set<std::string> taken;
  for (const auto& other : kernel_.globals) taken.insert(other->name);
  const std::string base = made->name;
  for (int n = 2; taken.contains(made->name); ++n) made->name = base + "_" + std::to_string(n);
  globals_[decl->getCanonicalDecl()] = made;
  if (fixed) made->initial = expr(init);
  kernel_.globals.push_back(made);
  return ir::use(made);
}

ExprRef Lowering::cast_of(const clang::CastExpr* cast) {
  const clang::Expr* operand = cast->getSubExpr();
  switch (cast->getCastKind()) {
    case clang::CK_LValueToRValue:
    case clang::CK_ArrayToPointerDecay:
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_UserDefinedConversion:
    case clang::CK_ConstructorConversion:
    case clang::CK_NonAtomicToAtomic:
    case clang::CK_AtomicToNonAtomic:
      return expr(operand);
    case clang::CK_NoOp:
      // A const cast of a pointer is nothing; of the same type neither.
      return expr(operand);
    case clang::CK_ToVoid:
      return expr(operand);
    case clang::CK_NullToPointer:
      return zero(type(cast->getType(), cast->getBeginLoc()));
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase: {
      ExprRef object = expr(operand);
      const bool pointer = cast->getType()->isPointerType();
      if (pointer) object = ir::unary(Op::dereference, object);
      if (!ir::is_record(object->type) || object->type->record->fields.empty())
        return refuse_expr(2001, cast->getBeginLoc(), "a cast to a base class");
      Expr node;
      node.kind = Expr::Kind::member;
      node.field = 0;
      node.name = object->type->record->fields[0].name;
      node.type = object->type->record->fields[0].type;
      node.args = {object};
      ExprRef base = typed(std::move(node), cast);
      return pointer ? ir::unary(Op::address, base) : base;
    }
    case clang::CK_IntegralCast:
    case clang::CK_IntegralToBoolean:
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingToBoolean:
    case clang::CK_FloatingCast:
    case clang::CK_PointerToBoolean:
    case clang::CK_PointerToIntegral:
    case clang::CK_IntegralToPointer:
    case clang::CK_BitCast:
    case clang::CK_LValueBitCast:
    case clang::CK_BooleanToSignedIntegral:
    case clang::CK_AddressSpaceConversion:
      break;
    default:
      return refuse_expr(2001, cast->getBeginLoc(), std::string("a cast of kind ") + cast->getCastKindName());
  }
  const auto target = type(cast->getType(), cast->getBeginLoc());
  if (cast->getCastKind() == clang::CK_LValueBitCast) {
    ExprRef address = ir::unary(Op::address, expr(operand));
    return ir::unary(Op::dereference, ir::cast(ir::pointer_to(target), address));
  }
  // A literal takes the type it is cast to: float x = 1.0 needs no cast.
  if (const auto* literal = llvm::dyn_cast<clang::FloatingLiteral>(operand->IgnoreParens());
      literal != nullptr && ir::is_floating(target) && target->scalar == ir::Scalar::f32) {
    Expr node;
    node.kind = Expr::Kind::floating;
    node.real = literal->getValue().convertToDouble();
    node.type = ir::float_type();
    return typed(std::move(node), cast);
  }
  if (const auto* literal = llvm::dyn_cast<clang::IntegerLiteral>(operand->IgnoreParens());
      literal != nullptr && ir::is_floating(target) && target->scalar == ir::Scalar::f32 &&
      llvm::isa<clang::ImplicitCastExpr>(cast)) {
    Expr node;
    node.kind = Expr::Kind::floating;
    node.real = static_cast<double>(literal->getValue().getLimitedValue());
    node.type = ir::float_type();
    return typed(std::move(node), cast);
  }
  ExprRef value = expr(operand);
  if (cast->getCastKind() == clang::CK_BitCast && ir::is_pointer(target) &&
      target->element->kind == ir::Type::Kind::scalar && operand->getType()->isPointerType()) {
    // Bits of a double under another type would be those of another number.
    const auto from = operand->getType()->getPointeeType().getCanonicalType();
    const auto to = cast->getType()->getPointeeType().getCanonicalType();
    const auto is_double = [](clang::QualType t) { return t->isSpecificBuiltinType(clang::BuiltinType::Double); };
    if (is_double(from) != is_double(to) && !from->isVoidType() && !to->isVoidType() && !from->isCharType() &&
        !to->isCharType())
      return refuse_expr(2014, cast->getBeginLoc(), "the bits of a double under another type: it is float on the chip",
                         target);
  }
  if (ir::same_type(target, value->type)) return value;
  Expr node;
  node.kind = Expr::Kind::cast;
  node.type = ir::with_constant(target, false);
  node.args = {value};
  return typed(std::move(node), cast);
}

ExprRef Lowering::address_of(const clang::Expr* given) {
  ExprRef value = expr(given);
  if (value->kind == Expr::Kind::unary && value->op == Op::dereference) return value->args[0];
  return ir::unary(Op::address, value);
}

ExprRef Lowering::unary(const clang::UnaryOperator* op) {
  const auto simple = [&](Op kind) {
    Expr node;
    node.kind = Expr::Kind::unary;
    node.op = kind;
    node.args = {expr(op->getSubExpr())};
    return typed(std::move(node), op);
  };
  switch (op->getOpcode()) {
    case clang::UO_PostInc:
      return simple(Op::post_increment);
    case clang::UO_PostDec:
      return simple(Op::post_decrement);
    case clang::UO_PreInc:
      return simple(Op::pre_increment);
    case clang::UO_PreDec:
      return simple(Op::pre_decrement);
    case clang::UO_Minus:
      return simple(Op::negate);
    case clang::UO_Not:
      return simple(Op::bit_not);
    case clang::UO_LNot:
      return simple(Op::logical_not);
    case clang::UO_AddrOf:
      return address_of(op->getSubExpr());
    case clang::UO_Deref: {
      ExprRef pointer = expr(op->getSubExpr());
      if (!pointer->type->element) return refuse_expr(2001, op->getBeginLoc(), "* of what is no pointer");
      if (pointer->kind == Expr::Kind::unary && pointer->op == Op::address) return pointer->args[0];
      return ir::unary(Op::dereference, pointer);
    }
    case clang::UO_Plus:
    case clang::UO_Extension:
      return expr(op->getSubExpr());
    default:
      return refuse_expr(2001, op->getBeginLoc(),
                         "the operator " + clang::UnaryOperator::getOpcodeStr(op->getOpcode()).str());
  }
}

ExprRef Lowering::binary(const clang::BinaryOperator* op) {
  if (op->isPtrMemOp()) return refuse_expr(2006, op->getBeginLoc(), "a pointer to a member");
  Expr node;
  node.op = op_of(op->getOpcode());
  if (op->getOpcode() == clang::BO_Assign)
    if (ExprRef stored = stored_as_wide(op->getLHS(), op->getRHS())) return stored;
  if (op->isAssignmentOp()) {
    node.kind = Expr::Kind::assign;
    node.args = {expr(op->getLHS()), expr(op->getRHS())};
    return typed(std::move(node), op);
  }
  if (node.op == Op::none) return refuse_expr(2001, op->getBeginLoc(), "the operator " + op->getOpcodeStr().str());
  node.kind = Expr::Kind::binary;
  if ((node.op == Op::logical_and || node.op == Op::logical_or))
    if (const auto left = constant_integer(op->getLHS())) {
      const bool decides = left->getBoolValue() == (node.op == Op::logical_or);
      if (decides) return ir::integer(left->getBoolValue() ? 1 : 0, ir::bool_type());
      return expr(op->getRHS());
    }
  node.args = {expr(op->getLHS()), expr(op->getRHS())};
  return typed(std::move(node), op);
}

ExprRef Lowering::member(const clang::MemberExpr* given) {
  const clang::Expr* base = given->getBase();
  if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(bare(base)))
    if (const auto which = builtin_index(ref->getDecl()->getNameAsString(), given->getMemberDecl()->getNameAsString());
        which && !frame_->variables.contains(ref->getDecl()))
      return ir::index(*which);
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(given->getMemberDecl());
  if (field == nullptr) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(given->getMemberDecl())) return global(variable, given);
    return refuse_expr(2001, given->getBeginLoc(), "the member " + given->getMemberDecl()->getNameAsString());
  }
  ExprRef object = expr(base);
  if (given->isArrow()) {
    if (!object->type->element) return refuse_expr(2001, given->getBeginLoc(), "-> of what is no pointer");
    object = object->kind == Expr::Kind::unary && object->op == Op::address ? object->args[0]
                                                                            : ir::unary(Op::dereference, object);
  }
  if (!ir::is_record(object->type)) {
    if (ir::is_scalar(object->type)) return refuse_expr(2001, given->getBeginLoc(), "the inner bits of a half");
    return refuse_expr(2001, given->getBeginLoc(), "a member of what is no record");
  }
  std::size_t number = field->getFieldIndex();
  if (const auto* cxx = llvm::dyn_cast<clang::CXXRecordDecl>(field->getParent())) number += cxx->getNumBases();
  const auto& fields = object->type->record->fields;
  if (number >= fields.size()) return refuse_expr(2001, given->getBeginLoc(), "the member " + field->getNameAsString());
  Expr node;
  node.kind = Expr::Kind::member;
  node.field = static_cast<int>(number);
  node.name = fields[number].name;
  node.type = fields[number].type;
  node.args = {object};
  ExprRef result = typed(std::move(node), given);
  return field->getType()->isReferenceType() ? ir::unary(Op::dereference, result) : result;
}

ExprRef Lowering::initializer(const clang::InitListExpr* list) {
  if (list->isTransparent() || (list->getNumInits() == 1 && list->getType()->isScalarType()))
    return expr(list->getInit(0));
  const auto made = type(list->getType(), list->getBeginLoc());
  if (ir::is_scalar(made) && list->getNumInits() == 0) return zero(made);
  Expr node;
  node.kind = Expr::Kind::aggregate;
  node.type = made;
  for (const auto* init : list->inits()) node.args.push_back(expr(init));
  // {0} and what is left out: trailing zeros need no words.
  while (!node.args.empty()) {
    const auto& last = *node.args.back();
    const bool empty = (last.kind == Expr::Kind::integer && last.value == 0) ||
                       (last.kind == Expr::Kind::aggregate && last.args.empty());
    if (!empty) break;
    node.args.pop_back();
  }
  return typed(std::move(node), list);
}

ExprRef Lowering::construct(const clang::CXXConstructExpr* made) {
  const clang::CXXConstructorDecl* decl = made->getConstructor();
  const auto target = type(made->getType(), made->getBeginLoc());
  if (ir::is_scalar(target)) {  // a half
    if (made->getNumArgs() == 0) return zero(target);
    return ir::cast(target, expr(made->getArg(0)));
  }
  if (decl->isCopyOrMoveConstructor() && (decl->isTrivial() || decl->isDefaulted())) return expr(made->getArg(0));
  if (decl->isDefaultConstructor() && decl->isTrivial()) return zero(target);
  if (is_foreign(context_, decl)) {
    if (ir::is_record(target) && made->getNumArgs() == target->record->fields.size()) {
      Expr node;
      node.kind = Expr::Kind::aggregate;
      node.type = target;
      for (unsigned i = 0; i < made->getNumArgs(); ++i)
        node.args.push_back(ir::cast(target->record->fields[i].type, expr(made->getArg(i))));
      return typed(std::move(node), made);
    }
    if (ir::is_record(target) && made->getNumArgs() == 0) return zero(target);
    return refuse_expr(2011, made->getBeginLoc(), "the constructor of " + target->record->name);
  }
  if (ExprRef elements = made_of_wide(made)) return elements;
  const auto function = constructor(decl);
  if (!function) return refuse_expr(2011, made->getBeginLoc(), "a constructor without a body", target);
  Expr node;
  node.kind = Expr::Kind::call;
  node.function = function;
  node.type = target;
  for (unsigned i = 0; i < made->getNumArgs(); ++i)
    node.args.push_back(argument(made->getArg(i), decl->getParamDecl(i)));
  return typed(std::move(node), made);
}

ExprRef Lowering::refuse_expr(int number, clang::SourceLocation where, std::string text, ir::TypeRef type) {
  refuse(number, where, std::move(text));
  Expr node;
  node.type = type ? std::move(type) : ir::int_type();
  return std::make_shared<const Expr>(std::move(node));
}

}  // namespace tqm::port
