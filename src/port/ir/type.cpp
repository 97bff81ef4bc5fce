#include "port/ir/type.hpp"

#include <utility>

namespace tqm::port::ir {

TypeRef scalar_type(Scalar scalar) {
  Type type;
  type.scalar = scalar;
  return std::make_shared<const Type>(std::move(type));
}

TypeRef pointer_to(TypeRef element) {
  Type type;
  type.kind = Type::Kind::pointer;
  type.element = std::move(element);
  return std::make_shared<const Type>(std::move(type));
}

TypeRef array_of(TypeRef element, std::int64_t count) {
  Type type;
  type.kind = Type::Kind::array;
  type.element = std::move(element);
  type.count = count;
  return std::make_shared<const Type>(std::move(type));
}

TypeRef record_type(std::shared_ptr<const Record> record) {
  Type type;
  type.kind = Type::Kind::record;
  type.record = std::move(record);
  return std::make_shared<const Type>(std::move(type));
}

TypeRef with_constant(const TypeRef& type, bool constant) {
  if (!type || type->constant == constant) return type;
  Type copy = *type;
  copy.constant = constant;
  return std::make_shared<const Type>(std::move(copy));
}

bool is_scalar(const TypeRef& type) {
  return type && type->kind == Type::Kind::scalar && type->scalar != Scalar::none;
}

bool is_integer(const TypeRef& type) {
  return is_scalar(type) && type->scalar >= Scalar::boolean && type->scalar <= Scalar::u64;
}

bool is_signed_integer(const TypeRef& type) {
  if (!is_integer(type)) return false;
  const Scalar scalar = type->scalar;
  return scalar == Scalar::i8 || scalar == Scalar::i16 || scalar == Scalar::i32 || scalar == Scalar::i64;
}

bool is_floating(const TypeRef& type) {
  return is_scalar(type) && type->scalar >= Scalar::f16;
}

bool is_void(const TypeRef& type) {
  return !type || (type->kind == Type::Kind::scalar && type->scalar == Scalar::none);
}

bool is_pointer(const TypeRef& type) {
  return type && type->kind == Type::Kind::pointer;
}

bool is_array(const TypeRef& type) {
  return type && type->kind == Type::Kind::array;
}

bool is_record(const TypeRef& type) {
  return type && type->kind == Type::Kind::record;
}

bool same_type(const TypeRef& a, const TypeRef& b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind) return false;
  switch (a->kind) {
    case Type::Kind::scalar:
      return a->scalar == b->scalar;
    case Type::Kind::pointer:
      return same_type(a->element, b->element);
    case Type::Kind::array:
      return a->count == b->count && same_type(a->element, b->element);
    case Type::Kind::record:
      return a->record == b->record;
  }
  return false;
}

std::int64_t size_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::none:
      return 0;
    case Scalar::boolean:
    case Scalar::i8:
    case Scalar::u8:
      return 1;
    case Scalar::i16:
    case Scalar::u16:
    case Scalar::f16:
    case Scalar::bf16:
      return 2;
    case Scalar::i32:
    case Scalar::u32:
    case Scalar::f32:
      return 4;
    case Scalar::i64:
    case Scalar::u64:
    case Scalar::f64:
      return 8;
  }
  return 0;
}

std::int64_t size_of(const TypeRef& type) {
  if (!type) return 0;
  switch (type->kind) {
    case Type::Kind::scalar:
      return size_of(type->scalar);
    case Type::Kind::pointer:
      return 8;
    case Type::Kind::array:
      return type->count * size_of(type->element);
    case Type::Kind::record:
      return type->record->bytes;
  }
  return 0;
}

std::string scalar_text(Scalar scalar) {
  switch (scalar) {
    case Scalar::none:
      return "void";
    case Scalar::boolean:
      return "bool";
    case Scalar::i8:
      return "int8_t";
    case Scalar::u8:
      return "uint8_t";
    case Scalar::i16:
      return "int16_t";
    case Scalar::u16:
      return "uint16_t";
    case Scalar::i32:
      return "int";
    case Scalar::u32:
      return "uint32_t";
    case Scalar::i64:
      return "int64_t";
    case Scalar::u64:
      return "uint64_t";
    case Scalar::f16:
      return "half";
    case Scalar::bf16:
      return "bfloat16_t";
    case Scalar::f32:
      return "float";
    case Scalar::f64:
      return "double";
  }
  return "void";
}

std::string declarator(const TypeRef& type, const std::string& name) {
  if (is_array(type)) return declarator(type->element, name + "[" + std::to_string(type->count) + "]");
  if (is_pointer(type)) {
    if (is_array(type->element)) return declarator(type->element, "(*" + name + ")");
    const std::string stars = type->constant ? "* const" : "*";
    return declarator(type->element, stars + (name.empty() || name[0] == '*' ? "" : " ") + name);
  }
  std::string text = type->constant ? "const " : "";
  if (type->is_volatile) text += "volatile ";
  text += type->kind == Type::Kind::record ? type->record->name : scalar_text(type->scalar);
  if (!name.empty() && name[0] == '*') return text + name;
  return name.empty() ? text : text + " " + name;
}

std::string type_text(const TypeRef& type) {
  if (!type) return "void";
  std::string text = declarator(type, "");
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace tqm::port::ir
