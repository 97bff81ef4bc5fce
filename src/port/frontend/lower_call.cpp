#include <algorithm>
#include <clang/Basic/SourceManager.h>
#include <utility>

#include "port/frontend/hand_over.hpp"
#include "port/frontend/known_calls.hpp"
#include "port/frontend/lowering.hpp"
#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port {

using ir::Expr;
using ir::ExprRef;
using ir::Op;

namespace {

ExprRef warp_width() {
  return ir::index(ir::Index::warp_size);
}

ir::TypeRef pointee(const ExprRef& pointer) {
  return ir::is_pointer(pointer->type) || ir::is_array(pointer->type) ? ir::with_constant(pointer->type->element, false)
                                                                      : pointer->type;
}

ExprRef at_address(const ExprRef& pointer) {
  if (pointer->kind == Expr::Kind::unary && pointer->op == Op::address) return pointer->args[0];
  return ir::unary(Op::dereference, pointer);
}

}  // namespace

std::vector<ExprRef> Lowering::plain_arguments(const clang::CallExpr* call) {
  std::vector<ExprRef> args;
  for (const auto* arg : call->arguments()) args.push_back(expr(arg));
  return args;
}

ExprRef Lowering::argument(const clang::Expr* arg, const clang::ParmVarDecl* param) {
  return param != nullptr && by_pointer(param->getType()) ? address_of(arg->IgnoreParens()) : expr(arg);
}

void Lowering::add_argument(const clang::Expr* arg, const clang::ParmVarDecl* param, std::vector<ExprRef>& args) {
  if (is_stateless(arg->getType())) return;
  if (closure_of(arg->getType()) == nullptr) return args.push_back(argument(arg, param));
  for (auto& value : closure(arg)) args.push_back(std::move(value));
}

ExprRef Lowering::call(const clang::CallExpr* given) {
  const clang::FunctionDecl* callee = given->getDirectCallee();
  if (callee == nullptr) {
    if (const auto* e = llvm::dyn_cast<clang::CXXPseudoDestructorExpr>(given->getCallee()->IgnoreParens());
        e != nullptr)
      return ir::integer(0);
    return refuse_expr(2006, given->getBeginLoc(), "a call by way of a pointer",
                       type(given->getType(), given->getBeginLoc()));
  }
  const std::string name = callee->getNameAsString();
  const bool foreign = is_foreign(context_, callee) || callee->getBuiltinID() != 0;
  if (foreign && is_fragment_call(callee)) return fragment_call(given);
  if (foreign && (name == "memcpy" || name == "__builtin_memcpy")) return copy_bytes(given);
  if (foreign || !callee->hasBody()) {
    bool known = false;
    ExprRef result = known_call(name, given, known);
    if (known) return result;
    if (const auto value = constant_integer(given)) {
      Expr node;
      node.value = value->getExtValue();
      return typed(std::move(node), given);
    }
    if (auto value = constant_real(given)) return value;
    if (foreign && (name == "move" || name == "forward") && given->getNumArgs() == 1) return expr(given->getArg(0));
    if (!callee->hasBody() || foreign)
      return refuse_expr(2011, given->getBeginLoc(),
                         "the function " + callee->getQualifiedNameAsString() + " is not known",
                         type(given->getType(), given->getBeginLoc()));
  }
  std::vector<ExprRef> args;
  for (unsigned i = 0; i < given->getNumArgs(); ++i)
    add_argument(given->getArg(i), i < callee->getNumParams() ? callee->getParamDecl(i) : nullptr, args);
  return user_call(callee, std::move(args), given);
}

ExprRef Lowering::user_call(const clang::FunctionDecl* callee, std::vector<ExprRef> args,
                            const clang::CallExpr* given) {
  const auto made = function(callee, false);
  const auto result = type(callee->getReturnType(), given->getBeginLoc());
  if (!made) return refuse_expr(2005, given->getBeginLoc(), callee->getNameAsString() + " calls itself", result);
  Expr node;
  node.kind = Expr::Kind::call;
  node.function = made;
  node.args = std::move(args);
  node.type = result;
  ExprRef value = typed(std::move(node), given);
  return callee->getReturnType()->isReferenceType() ? ir::unary(Op::dereference, value) : value;
}

ExprRef Lowering::known_call(const std::string& name, const clang::CallExpr* given, bool& known) {
  const KnownCall* entry = find_known_call(name);
  std::string bare = name;
  if (entry == nullptr && bare.starts_with("__builtin_")) entry = find_known_call(bare = bare.substr(10));
  if (entry == nullptr) return nullptr;
  known = true;
  const auto where = given->getBeginLoc();
  if (entry->form == CallForm::refuse)
    return refuse_expr(entry->number, where, entry->intrinsic + std::string(" (") + name + ")",
                       type(given->getType(), where));
  if (entry->form == CallForm::print) {
    remark(ir::Remark::Severity::note, 2102, where, "printf is taken out");
    return ir::integer(0);
  }
  if (entry->form == CallForm::assertion) {
    remark(ir::Remark::Severity::note, 2103, where, "assert is taken out");
    return ir::integer(0);
  }
  if (entry->form == CallForm::store && given->getNumArgs() >= 2)
    if (ExprRef stored = stored_as_wide(given, given->getArg(1))) return stored;
  std::vector<ExprRef> args = plain_arguments(given);
  ir::TypeRef result = ir::with_constant(type(given->getType(), where), false);
  const int at = line(where);
  const auto named = [&](const char* intrinsic, std::vector<ExprRef> values, ir::TypeRef of = nullptr) {
    const auto* info = ir::find_intrinsic(intrinsic);
    if (info != nullptr && info->approximate)
      remark(ir::Remark::Severity::note, 2104, where,
             name + " is approximate on CUDA; here it is " + info->name.data());
    return ir::intrinsic(intrinsic, of ? std::move(of) : result, std::move(values), at);
  };
  // Vectors of two halves work field by field.
  if (ir::is_record(result) && (entry->form == CallForm::binary || entry->form == CallForm::fused ||
                                entry->form == CallForm::negate || entry->form == CallForm::intrinsic)) {
    if (std::any_of(args.begin(), args.end(), [](const ExprRef& arg) { return ir::has_effects(arg); }))
      return refuse_expr(2001, where, name + " of values with side effects", result);
    Expr node;
    node.kind = Expr::Kind::aggregate;
    node.type = result;
    for (std::size_t f = 0; f < result->record->fields.size(); ++f) {
      std::vector<ExprRef> parts;
      for (const auto& arg : args) {
        Expr part;
        part.kind = Expr::Kind::member;
        part.field = static_cast<int>(f);
        part.name = result->record->fields[f].name;
        part.type = result->record->fields[f].type;
        part.args = {arg};
        parts.push_back(typed(std::move(part), given));
      }
      if (entry->form == CallForm::binary)
        node.args.push_back(ir::binary(entry->op, parts[0], parts[1]));
      else if (entry->form == CallForm::negate)
        node.args.push_back(ir::unary(Op::negate, parts[0]));
      else
        node.args.push_back(
            ir::intrinsic(entry->form == CallForm::fused ? "fma" : entry->intrinsic, parts[0]->type, parts, at));
    }
    return typed(std::move(node), given);
  }
  const auto same = [&](std::size_t count) { return args.size() >= count; };
  switch (entry->form) {
    case CallForm::intrinsic: {
      const auto* info = ir::find_intrinsic(entry->intrinsic);
      if (info == nullptr || !same(static_cast<std::size_t>(info->args))) break;
      args.resize(static_cast<std::size_t>(info->args));
      std::string intrinsic = entry->intrinsic;
      const bool floating = ir::is_floating(result);
      if (floating && (intrinsic == "min" || intrinsic == "max")) intrinsic = "f" + intrinsic;
      if (!floating && (intrinsic == "fmin" || intrinsic == "fmax")) intrinsic = intrinsic.substr(1);
      return named(intrinsic.c_str(), std::move(args));
    }
    case CallForm::binary:
      if (!same(2)) break;
      return ir::binary(entry->op, args[0], args[1]);
    case CallForm::divide:
      if (!same(2)) break;
      return ir::binary(Op::divide, args[0], args[1]);
    case CallForm::negate:
      if (!same(1)) break;
      return ir::unary(Op::negate, args[0]);
    case CallForm::convert:
      if (!same(1)) break;
      return ir::cast(result, args[0]);
    case CallForm::convert_to:
      if (!same(1)) break;
      return ir::cast(ir::scalar_type(entry->scalar), args[0]);
    case CallForm::first:
      if (!same(1)) break;
      return args[0];
    case CallForm::load:
      if (!same(1)) break;
      return at_address(args[0]);
    case CallForm::store:
      if (!same(2)) break;
      return ir::assign(at_address(args[0]), args[1]);
    case CallForm::bits:
      if (!same(1)) break;
      return named("bits_of", {args[0]});
    case CallForm::shuffle: {
      const bool masked = name.ends_with("_sync");
      const std::size_t first = masked ? 1 : 0;
      if (!same(first + 2)) break;
      ExprRef width = args.size() > first + 2 ? args[first + 2] : warp_width();
      return named(entry->intrinsic, {args[first], args[first + 1], width});
    }
    case CallForm::vote:
    case CallForm::reduce: {
      const std::size_t first = name.ends_with("_sync") ? 1 : 0;
      if (!same(first + 1)) break;
      return named(entry->intrinsic, {args[first]});
    }
    case CallForm::nothing:
      if (name == "__threadfence" || name == "__threadfence_system")
        remark(ir::Remark::Severity::warning, kHandOver, where,
               "blocks hand work to each other here: one task runs them all, one after the other");
      return ir::integer(0);
    case CallForm::thread_rank:
      return ir::index(ir::Index::thread_linear);
    case CallForm::block_threads:
      return ir::index(ir::Index::threads);
    case CallForm::barrier:
      return named("block_barrier", {});
    case CallForm::warp_barrier:
      return named("warp_barrier", {});
    case CallForm::atomic: {
      if (!same(2)) break;
      if (std::string(entry->intrinsic) == "atomic_compare_exchange" && !same(3)) break;
      const auto value = pointee(args[0]);
      if (ir::is_floating(value) && given->getType()->isSpecificBuiltinType(clang::BuiltinType::Double))
        remark(ir::Remark::Severity::warning, 2101, where, "double is computed as float: the chip has no double");
      return named(entry->intrinsic, std::move(args), value);
    }
    case CallForm::fused:
      if (!same(3)) break;
      return named("fma", std::move(args));
    case CallForm::reciprocal:
      if (!same(1)) break;
      return ir::binary(Op::divide, ir::cast(args[0]->type, ir::real(1.0)), args[0]);
    case CallForm::sine_cosine: {
      if (!same(3)) break;
      const auto value = args[0]->type;
      if (ir::has_effects(args[0])) break;
      ExprRef sine = ir::assign(at_address(args[1]), ir::intrinsic("sin", value, {args[0]}, at));
      ExprRef cosine = ir::assign(at_address(args[2]), ir::intrinsic("cos", value, {args[0]}, at));
      return ir::binary(Op::comma, sine, cosine);
    }
    case CallForm::make_record: {
      if (!ir::is_record(result) || args.size() > result->record->fields.size()) break;
      Expr node;
      node.kind = Expr::Kind::aggregate;
      node.type = result;
      for (std::size_t i = 0; i < args.size(); ++i)
        node.args.push_back(ir::cast(result->record->fields[i].type, args[i]));
      return typed(std::move(node), given);
    }
    default:
      break;
  }
  return refuse_expr(2011, where, "this form of " + name, result);
}

ExprRef Lowering::operator_call(const clang::CXXOperatorCallExpr* given) {
  using clang::OverloadedOperatorKind;
  const clang::FunctionDecl* callee = given->getDirectCallee();
  const auto where = given->getBeginLoc();
  if (callee == nullptr) return refuse_expr(2006, where, "an operator by way of a pointer");
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (!is_foreign(context_, callee)) {
    if (method != nullptr && given->getOperator() == clang::OO_Equal && method->isTrivial())
      return ir::assign(expr(given->getArg(0)), expr(given->getArg(1)));
    std::vector<ExprRef> args;
    unsigned first = 0;
    if (method != nullptr && !method->isStatic()) {
      if (method->getParent()->isLambda())
        args = closure(given->getArg(0));
      else if (!is_stateless(given->getArg(0)->getType()))
        args.push_back(address_of(given->getArg(0)));
      first = 1;
    }
    for (unsigned i = first; i < given->getNumArgs(); ++i)
      add_argument(given->getArg(i), i - first < callee->getNumParams() ? callee->getParamDecl(i - first) : nullptr,
                   args);
    return user_call(callee, std::move(args), given);
  }
  if (given->getOperator() == clang::OO_Equal)
    if (ExprRef stored = stored_as_wide(given->getArg(0), given->getArg(1))) return stored;
  // The headers' own operators: on halves and on nothing else that is a scalar here.
  std::vector<ExprRef> args;
  for (const auto* arg : given->arguments()) args.push_back(expr(arg));
  if (given->getOperator() == clang::OO_Equal && args.size() == 2)
    return ir::assign(args[0], ir::cast(ir::with_constant(args[0]->type, false), args[1]));
  const auto op = [&]() -> Op {
    switch (given->getOperator()) {
      case clang::OO_Plus:
      case clang::OO_PlusEqual:
        return Op::add;
      case clang::OO_Minus:
      case clang::OO_MinusEqual:
        return args.size() == 1 ? Op::negate : Op::subtract;
      case clang::OO_Star:
      case clang::OO_StarEqual:
        return Op::multiply;
      case clang::OO_Slash:
      case clang::OO_SlashEqual:
        return Op::divide;
      case clang::OO_Less:
        return Op::less;
      case clang::OO_Greater:
        return Op::greater;
      case clang::OO_LessEqual:
        return Op::less_equal;
      case clang::OO_GreaterEqual:
        return Op::greater_equal;
      case clang::OO_EqualEqual:
        return Op::equal;
      case clang::OO_ExclaimEqual:
        return Op::not_equal;
      default:
        return Op::none;
    }
  }();
  const bool scalars =
      std::all_of(args.begin(), args.end(), [](const ExprRef& arg) { return ir::is_scalar(arg->type); });
  if (op == Op::none || args.empty()) return refuse_expr(2011, where, "this operator of a CUDA type");
  const bool compound = given->getOperator() == clang::OO_PlusEqual || given->getOperator() == clang::OO_MinusEqual ||
                        given->getOperator() == clang::OO_StarEqual || given->getOperator() == clang::OO_SlashEqual;
  if (scalars) {
    if (args.size() == 1) return ir::unary(Op::negate, args[0]);
    const ExprRef right = ir::cast(ir::with_constant(args[0]->type, false), args[1]);
    return compound ? ir::assign(args[0], right, op) : ir::binary(op, args[0], right);
  }
  const auto record = args[0]->type;
  if (!ir::is_record(record) ||
      std::any_of(args.begin(), args.end(), [](const ExprRef& a) { return ir::has_effects(a); }))
    return refuse_expr(2011, where, "this operator of a CUDA type", record);
  Expr node;
  node.kind = Expr::Kind::aggregate;
  node.type = ir::with_constant(record, false);
  for (std::size_t f = 0; f < record->record->fields.size(); ++f) {
    std::vector<ExprRef> parts;
    for (const auto& arg : args) {
      Expr part;
      part.kind = Expr::Kind::member;
      part.field = static_cast<int>(f);
      part.name = record->record->fields[f].name;
      part.type = record->record->fields[f].type;
      part.args = {arg};
      parts.push_back(ir::is_record(arg->type) ? typed(std::move(part), given) : arg);
    }
    node.args.push_back(parts.size() == 1 ? ir::unary(Op::negate, parts[0]) : ir::binary(op, parts[0], parts[1]));
  }
  ExprRef value = typed(std::move(node), given);
  return compound ? ir::assign(args[0], value) : value;
}

ExprRef Lowering::method_call(const clang::CXXMemberCallExpr* given) {
  const clang::CXXMethodDecl* method = given->getMethodDecl();
  const auto where = given->getBeginLoc();
  if (method == nullptr) return refuse_expr(2006, where, "a call by way of a member pointer");
  const clang::Expr* object = given->getImplicitObjectArgument();
  if (is_foreign(context_, method)) {
    if (llvm::isa<clang::CXXConversionDecl>(method)) {
      const ExprRef value = expr(object);
      if (ir::is_scalar(value->type)) return ir::cast(type(given->getType(), where), value);
    }
    return refuse_expr(2011, where, "the method " + method->getQualifiedNameAsString() + " is not known",
                       type(given->getType(), where));
  }
  if (method->isVirtual()) return refuse_expr(2006, where, "the virtual function " + method->getNameAsString());
  std::vector<ExprRef> args;
  const bool pointer = object->getType()->isPointerType();
  if (!method->isStatic() && !is_stateless(pointer ? object->getType()->getPointeeType() : object->getType())) {
    args.push_back(pointer ? expr(object) : address_of(object));
  }
  for (unsigned i = 0; i < given->getNumArgs(); ++i) add_argument(given->getArg(i), method->getParamDecl(i), args);
  return user_call(method, std::move(args), given);
}

}  // namespace tqm::port
