// wmma: 16 x 16 matrices that a warp holds together. Which thread holds which element is CUDA's own affair; here a
// thread holds eight in a row, so that the threads' parts one behind the other are the matrix row by row. A matrix_b is
// held column by column, as the chip's matrix unit takes it.
#include <clang/AST/DeclTemplate.h>

#include "port/frontend/lowering.hpp"

namespace tqm::port {

using ir::Expr;
using ir::ExprRef;
using ir::Op;

namespace {

constexpr int kSide = 16;

std::string named_type(const clang::TemplateArgument& argument) {
  if (argument.getKind() != clang::TemplateArgument::Type) return "";
  const auto* record = argument.getAsType()->getAsCXXRecordDecl();
  return record == nullptr ? "" : record->getNameAsString();
}

}  // namespace

bool is_fragment(const clang::RecordDecl* decl) {
  return decl->getNameAsString() == "fragment" && decl->getQualifiedNameAsString() == "nvcuda::wmma::fragment";
}

bool is_fragment_call(const clang::FunctionDecl* callee) {
  return callee->getQualifiedNameAsString().starts_with("nvcuda::wmma::");
}

// Use, M, N, K, type of an element, layout.
Lowering::Fragment Lowering::fragment(const clang::Expr* given) {
  Fragment result;
  const auto* record = given->getType().getNonReferenceType()->getAsCXXRecordDecl();
  const auto* made = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (made == nullptr || !is_fragment(record)) return result;
  const auto& args = made->getTemplateArgs();
  if (args.size() < 5) return result;
  result.use = named_type(args[0]);
  result.by_columns = args.size() > 5 && named_type(args[5]) == "col_major";
  bool square = true;
  for (unsigned i = 1; i <= 3; ++i) square = square && args[i].getAsIntegral() == kSide;
  const auto where = given->getBeginLoc();
  result.element = type(args[4].getAsType(), where);
  const bool half = ir::is_scalar(result.element) && result.element->scalar == ir::Scalar::f16;
  const bool sum = result.use == "accumulator" &&
                   (half || (ir::is_scalar(result.element) && result.element->scalar == ir::Scalar::f32));
  if (!square)
    refuse(2011, where, "a wmma fragment that is not 16 x 16 x 16");
  else if (!half && !sum)
    refuse(2011, where, "a wmma fragment of " + ir::type_text(result.element) + "; half is known, and float for sums");
  result.known = square && (half || sum);
  return result;
}

ExprRef Lowering::fragment_start(const clang::Expr* given) {
  const ExprRef place = expr(given);
  if (place->kind != Expr::Kind::variable)
    return refuse_expr(2011, given->getBeginLoc(), "a wmma fragment that is part of an array or a struct", place->type);
  Expr member;
  member.kind = Expr::Kind::member;
  member.field = 0;
  member.name = place->type->record->fields[0].name;
  member.type = place->type->record->fields[0].type;
  member.args = {place};
  return ir::unary(Op::address, ir::subscript(typed(std::move(member), given), ir::integer(0)));
}

ExprRef Lowering::fragment_call(const clang::CallExpr* given) {
  const std::string name = given->getDirectCallee()->getNameAsString();
  const auto where = given->getBeginLoc();
  const auto unknown = [&] { return refuse_expr(2011, where, "wmma::" + name + " is not known", ir::void_type()); };
  const bool stores = name == "store_matrix_sync";
  const unsigned which = stores ? 1 : 0;
  if (given->getNumArgs() <= which) return unknown();
  const Fragment held = fragment(given->getArg(which));
  if (!held.known) return kernel_.refused() ? ir::integer(0) : unknown();
  std::vector<ExprRef> args{fragment_start(given->getArg(which))};
  if (name == "fill_fragment") {
    args.push_back(ir::cast(held.element, expr(given->getArg(1))));
    return ir::intrinsic("fragment_fill", ir::void_type(), std::move(args), line(where));
  }
  if (name == "mma_sync" && given->getNumArgs() >= 4) {
    for (unsigned i = 1; i < 4; ++i) {
      if (!fragment(given->getArg(i)).known) return ir::integer(0);
      args.push_back(fragment_start(given->getArg(i)));
    }
    return ir::intrinsic("fragment_multiply", ir::void_type(), std::move(args), line(where));
  }
  if ((name != "load_matrix_sync" && !stores) || given->getNumArgs() < 3) return unknown();
  bool by_columns = held.by_columns;
  if (held.use == "accumulator") {
    const auto layout = given->getNumArgs() > 3 ? constant_integer(given->getArg(3)) : std::nullopt;
    if (!layout) return refuse_expr(2011, where, "a layout of wmma that is chosen while it runs", ir::void_type());
    by_columns = *layout != 0;
  }
  const bool across = held.use == "matrix_b" ? !by_columns : by_columns;
  args.push_back(expr(given->getArg(stores ? 0 : 1)));
  args.push_back(ir::cast(ir::int_type(), expr(given->getArg(2))));
  args.push_back(ir::integer(across ? 1 : 0));
  return ir::intrinsic(stores ? "fragment_store" : "fragment_load", ir::void_type(), std::move(args), line(where));
}

}  // namespace tqm::port
