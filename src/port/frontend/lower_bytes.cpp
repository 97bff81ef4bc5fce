// Values that change their type on the way: an array of floats loaded and stored as one int4 (reinterpret_cast,
// memcpy between the two). CUDA code does it for wide loads; the chip has no use for them, and under another type the
// bits would hide what is computed. So such a copy becomes one element by element, in the elements' own type.
#include <algorithm>
#include <utility>

#include "port/frontend/known_calls.hpp"
#include "port/frontend/lowering.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port {

using ir::Expr;
using ir::ExprRef;
using ir::Op;

namespace {

constexpr std::int64_t kMostElements = 64;  // of one copy; a longer one would fill pages

const clang::Expr* stripped(const clang::Expr* expr) {
  return expr->IgnoreImplicit()->IgnoreParenCasts();
}

// A call of memcpy, its pointers without their casts to void*.
struct Memcpy {
  const clang::Expr* to = nullptr;
  const clang::Expr* from = nullptr;
  const clang::Expr* bytes = nullptr;
};
std::optional<Memcpy> memcpy_call(const clang::Stmt* stmt) {
  const auto* expr = llvm::dyn_cast_or_null<clang::Expr>(stmt);
  const auto* call = expr == nullptr ? nullptr : llvm::dyn_cast<clang::CallExpr>(expr->IgnoreParenImpCasts());
  const auto* callee = call == nullptr ? nullptr : call->getDirectCallee();
  if (callee == nullptr || call->getNumArgs() != 3 || !callee->getDeclName().isIdentifier()) return std::nullopt;
  if (callee->getName() != "memcpy" && callee->getName() != "__builtin_memcpy") return std::nullopt;
  return Memcpy{stripped(call->getArg(0)), stripped(call->getArg(1)), call->getArg(2)};
}

// What &x takes the address of; nullptr where it is no such expression.
const clang::Expr* addressed(const clang::Expr* expr) {
  const auto* op = llvm::dyn_cast<clang::UnaryOperator>(expr);
  return op != nullptr && op->getOpcode() == clang::UO_AddrOf ? stripped(op->getSubExpr()) : nullptr;
}

const clang::ValueDecl* addressed_variable(const clang::Expr* expr) {
  const auto* place = addressed(expr);
  const auto* ref = place == nullptr ? nullptr : llvm::dyn_cast<clang::DeclRefExpr>(place);
  return ref == nullptr ? nullptr : ref->getDecl();
}

const clang::FieldDecl* addressed_own_field(const clang::Expr* expr) {
  const auto* place = addressed(expr);
  const auto* member = place == nullptr ? nullptr : llvm::dyn_cast<clang::MemberExpr>(place);
  if (member == nullptr || !llvm::isa<clang::CXXThisExpr>(stripped(member->getBase()))) return nullptr;
  return llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
}

// The statements of a body but for static_assert.
std::vector<const clang::Stmt*> statements_of(const clang::FunctionDecl* function) {
  std::vector<const clang::Stmt*> list;
  const clang::FunctionDecl* definition = nullptr;
  if (function == nullptr || !function->hasBody(definition)) return list;
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(definition->getBody());
  if (body == nullptr) return list;
  for (const auto* stmt : body->body()) {
    const auto* declared = llvm::dyn_cast<clang::DeclStmt>(stmt);
    if (declared != nullptr && declared->isSingleDecl() &&
        llvm::isa<clang::StaticAssertDecl>(declared->getSingleDecl()))
      continue;
    list.push_back(stmt);
  }
  return list;
}

// The field that a method gives back under another type: { W bits; memcpy(&bits, &field, …); return bits; }
const clang::FieldDecl* field_given_back(const clang::CXXMethodDecl* method) {
  const auto body = statements_of(method);
  if (body.size() != 3) return nullptr;
  const auto* declared = llvm::dyn_cast<clang::DeclStmt>(body[0]);
  const auto copy = memcpy_call(body[1]);
  const auto* back = llvm::dyn_cast<clang::ReturnStmt>(body[2]);
  if (declared == nullptr || !declared->isSingleDecl() || !copy || back == nullptr || back->getRetValue() == nullptr)
    return nullptr;
  if (addressed_variable(copy->to) != declared->getSingleDecl()) return nullptr;
  const clang::Expr* value = back->getRetValue()->IgnoreImplicit();
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(value); made != nullptr && made->getNumArgs() == 1)
    value = made->getArg(0);
  const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(value->IgnoreParenImpCasts());
  if (ref == nullptr || ref->getDecl() != declared->getSingleDecl()) return nullptr;
  return addressed_own_field(copy->from);
}

// The field that a constructor fills from its only parameter: C(W bits) { memcpy(&field, &bits, …); }
const clang::FieldDecl* field_filled(const clang::CXXConstructorDecl* decl) {
  if (decl->getNumParams() != 1) return nullptr;
  const auto body = statements_of(decl);
  if (body.size() != 1) return nullptr;
  const auto copy = memcpy_call(body[0]);
  const clang::FunctionDecl* definition = nullptr;
  if (!copy || !decl->hasBody(definition) || addressed_variable(copy->from) != definition->getParamDecl(0))
    return nullptr;
  return addressed_own_field(copy->to);
}

ExprRef member_of(const ExprRef& object, std::size_t number) {
  Expr node;
  node.kind = Expr::Kind::member;
  node.field = static_cast<int>(number);
  node.name = object->type->record->fields[number].name;
  node.type = object->type->record->fields[number].type;
  node.args = {object};
  return std::make_shared<const Expr>(std::move(node));
}

// The scalars that a place is made of, in order; false where padding, a union or a pointer is among them.
bool flatten(const ExprRef& place, std::vector<ExprRef>& into) {
  if (static_cast<std::int64_t>(into.size()) > kMostElements) return false;
  if (ir::is_scalar(place->type)) {
    into.push_back(place);
    return true;
  }
  if (ir::is_array(place->type)) {
    if (place->type->count > kMostElements) return false;
    for (std::int64_t i = 0; i < place->type->count; ++i)
      if (!flatten(ir::subscript(place, ir::integer(i)), into)) return false;
    return true;
  }
  if (!ir::is_record(place->type) || place->type->record->is_union) return false;
  std::int64_t bytes = 0;
  for (std::size_t f = 0; f < place->type->record->fields.size(); ++f) {
    bytes += ir::size_of(place->type->record->fields[f].type);
    if (!flatten(member_of(place, f), into)) return false;
  }
  return bytes == place->type->record->bytes;
}

std::int64_t bytes_of(const std::vector<ExprRef>& scalars) {
  std::int64_t sum = 0;
  for (const auto& scalar : scalars) sum += ir::size_of(scalar->type);
  return sum;
}

ir::TypeRef unsigned_of(std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return ir::scalar_type(ir::Scalar::u8);
    case 2:
      return ir::scalar_type(ir::Scalar::u16);
    case 4:
      return ir::uint_type();
    default:
      return ir::scalar_type(ir::Scalar::u64);
  }
}

ExprRef bits_as(const ir::TypeRef& wanted, const ExprRef& value) {
  if (ir::same_type(wanted, value->type)) return value;
  if (ir::is_integer(wanted) && ir::is_integer(value->type)) return ir::cast(ir::with_constant(wanted, false), value);
  return ir::intrinsic("bits_of", ir::with_constant(wanted, false), {value});
}

// One scalar from the bytes at `offset` of the others: of one as wide, of a part of a wider one, of several narrower.
ExprRef gathered(const ExprRef& to, std::int64_t offset, const std::vector<ExprRef>& from) {
  const std::int64_t wanted = ir::size_of(to->type);
  std::int64_t at = 0;
  ExprRef joined;
  for (const auto& scalar : from) {
    const std::int64_t own = ir::size_of(scalar->type);
    if (own == wanted && at == offset) return bits_as(to->type, scalar);
    if (own > wanted && at <= offset && offset + wanted <= at + own) {
      const ExprRef bits = bits_as(unsigned_of(own), scalar);
      return bits_as(to->type,
                     ir::cast(unsigned_of(wanted), ir::binary(Op::shift_right, bits, ir::integer(8 * (offset - at)))));
    }
    if (own < wanted && at >= offset && at + own <= offset + wanted) {
      const ExprRef bits = ir::binary(Op::shift_left, ir::cast(unsigned_of(wanted), bits_as(unsigned_of(own), scalar)),
                                      ir::integer(8 * (at - offset)));
      joined = joined ? ir::binary(Op::bit_or, joined, bits) : bits;
    }
    at += own;
  }
  return joined ? bits_as(to->type, joined) : nullptr;
}

ExprRef in_turn(const std::vector<ExprRef>& all) {
  ExprRef chain;
  for (const auto& one : all) chain = chain ? ir::binary(Op::comma, chain, one) : one;
  return chain;
}

}  // namespace

// The place that a pointer expression of the source names, whole: x of &x and of an array, p[0] … p[n - 1] of a p.
std::vector<ExprRef> Lowering::scalars_at(const clang::Expr* pointer, std::int64_t bytes) {
  std::vector<ExprRef> scalars;
  if (const auto* place = addressed(pointer)) {
    const ExprRef whole = expr(place);
    if (ir::has_effects(whole) || !flatten(whole, scalars)) return {};
    if (bytes_of(scalars) != bytes) {
      // &x[i], more than one element of it
      if (whole->kind != Expr::Kind::subscript || !ir::is_scalar(whole->type)) return {};
      const std::int64_t count = bytes / ir::size_of(whole->type);
      scalars.clear();
      for (std::int64_t i = 0; i < count && count <= kMostElements; ++i)
        scalars.push_back(ir::subscript(whole->args[0],
                                        i == 0 ? whole->args[1] : ir::binary(Op::add, whole->args[1], ir::integer(i))));
    }
  } else {
    const ExprRef base = expr(pointer);
    if (ir::has_effects(base) || !base->type->element) return {};
    const std::int64_t own = ir::size_of(base->type->element);
    if (own <= 0 || bytes % own != 0 || bytes / own > kMostElements) return {};
    for (std::int64_t i = 0; i < bytes / own; ++i)
      if (!flatten(ir::subscript(base, ir::integer(i)), scalars)) return {};
  }
  return bytes_of(scalars) == bytes ? scalars : std::vector<ExprRef>{};
}

ExprRef Lowering::copy_bytes(const clang::CallExpr* call) {
  const auto where = call->getBeginLoc();
  const auto copy = memcpy_call(call);
  const auto bytes = copy ? constant_integer(copy->bytes) : std::nullopt;
  if (!bytes) return refuse_expr(2011, where, "memcpy of a number of bytes that is known only at run time");
  const auto to = scalars_at(copy->to, bytes->getExtValue());
  const auto from = scalars_at(copy->from, bytes->getExtValue());
  if (to.empty() || from.empty()) return refuse_expr(2011, where, "memcpy between these types");
  std::vector<ExprRef> moves;
  std::int64_t at = 0;
  for (const auto& place : to) {
    const ExprRef value = gathered(place, at, from);
    if (!value) return refuse_expr(2011, where, "memcpy between these types");
    moves.push_back(ir::assign(place, value));
    at += ir::size_of(place->type);
  }
  return in_turn(moves);
}

// The elements behind a value of a wider type: *reinterpret_cast<const W*>(p), the same through __ldg and its kind,
// or a method that gives a field back as W.
std::vector<ExprRef> Lowering::elements_of_wide(const clang::Expr* value) {
  const clang::Expr* given = value->IgnoreImplicit()->IgnoreParens();
  while (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(given)) {
    if (made->getNumArgs() != 1 || !made->getConstructor()->isCopyOrMoveConstructor()) return {};
    given = made->getArg(0)->IgnoreImplicit()->IgnoreParens();
  }
  if (const auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(given)) {
    const auto* field = method->getMethodDecl() == nullptr ? nullptr : field_given_back(method->getMethodDecl());
    if (field == nullptr || method->getNumArgs() != 0) return {};
    const clang::Expr* object = method->getImplicitObjectArgument();
    ExprRef record = expr(object);
    if (object->getType()->isPointerType()) record = ir::unary(Op::dereference, record);
    std::vector<ExprRef> scalars;
    if (ir::has_effects(record) || !ir::is_record(record->type)) return {};
    const std::size_t number = field->getFieldIndex();
    if (number >= record->type->record->fields.size() || !flatten(member_of(record, number), scalars)) return {};
    return scalars;
  }
  return elements_behind(given);
}

// The same where the expression is a place: *reinterpret_cast<W*>(p), reinterpret_cast<W*>(p)[i].
std::vector<ExprRef> Lowering::elements_behind(const clang::Expr* place) {
  const clang::Expr* pointer = nullptr;
  const clang::Expr* position = nullptr;
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(place); op && op->getOpcode() == clang::UO_Deref) {
    pointer = op->getSubExpr();
  } else if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
    pointer = subscript->getBase();
    position = subscript->getIdx();
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(place)) {
    const auto* callee = call->getDirectCallee();
    const KnownCall* known = callee && callee->getDeclName().isIdentifier() && is_foreign(context_, callee)
                                 ? find_known_call(callee->getName().str())
                                 : nullptr;
    const bool moves = known != nullptr && (known->form == CallForm::load || known->form == CallForm::store);
    if (!moves || call->getNumArgs() < 1) return {};
    pointer = call->getArg(0);
  }
  if (pointer == nullptr) return {};
  const auto* cast = llvm::dyn_cast<clang::CastExpr>(pointer->IgnoreParenImpCasts());
  if (cast == nullptr || cast->getCastKind() != clang::CK_BitCast) return {};
  const clang::Expr* narrow = cast->getSubExpr();
  if (!narrow->getType()->isPointerType()) return {};
  const auto wide_bytes = context_.getTypeSizeInCharsIfKnown(cast->getType()->getPointeeType());
  const ExprRef base = expr(narrow);
  if (!wide_bytes || !ir::is_pointer(base->type) || !ir::is_scalar(base->type->element) || ir::has_effects(base))
    return {};
  const std::int64_t own = ir::size_of(base->type->element);
  const std::int64_t count = own > 0 ? wide_bytes->getQuantity() / own : 0;
  if (count < 2 || count > kMostElements || count * own != wide_bytes->getQuantity()) return {};
  ExprRef first;
  if (position != nullptr) {
    const ExprRef index = expr(position);
    if (ir::has_effects(index)) return {};
    first = ir::binary(Op::multiply, index, ir::integer(count));
  }
  std::vector<ExprRef> elements;
  for (std::int64_t i = 0; i < count; ++i) {
    const ExprRef at = ir::integer(i);
    elements.push_back(ir::subscript(base, !first ? at : i == 0 ? first : ir::binary(Op::add, first, at)));
  }
  return elements;
}

// A class made of the bits of a wider type becomes its elements; nullptr where it is nothing of the kind.
ExprRef Lowering::made_of_wide(const clang::CXXConstructExpr* made) {
  const auto* field = field_filled(made->getConstructor());
  if (field == nullptr || made->getNumArgs() != 1) return nullptr;
  const auto target = type(made->getType(), made->getBeginLoc());
  if (!ir::is_record(target) || target->record->fields.size() != 1) return nullptr;
  const auto& filled = target->record->fields[0].type;
  if (!ir::is_array(filled) || !ir::is_scalar(filled->element)) return nullptr;
  const auto elements = elements_of_wide(made->getArg(0));
  if (static_cast<std::int64_t>(elements.size()) != filled->count) return nullptr;
  Expr list;
  list.kind = Expr::Kind::aggregate;
  list.type = filled;
  for (const auto& element : elements) {
    if (!ir::same_type(element->type, filled->element)) return nullptr;
    list.args.push_back(element);
  }
  Expr node;
  node.kind = Expr::Kind::aggregate;
  node.type = ir::with_constant(target, false);
  node.args = {std::make_shared<const Expr>(std::move(list))};
  return typed(std::move(node), made);
}

// *reinterpret_cast<W*>(q) = wide: element by element; nullptr where it is nothing of the kind.
ExprRef Lowering::stored_as_wide(const clang::Expr* place, const clang::Expr* value) {
  const auto from = elements_of_wide(value);
  if (from.size() < 2) return nullptr;
  const auto to = elements_behind(place->IgnoreParens());
  if (to.size() != from.size()) return nullptr;
  std::vector<ExprRef> moves;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!ir::same_type(to[i]->type, from[i]->type)) return nullptr;
    moves.push_back(ir::assign(to[i], from[i]));
  }
  return in_turn(moves);
}

}  // namespace tqm::port
