// Types of a kernel: scalars, pointers, arrays of known length, records. A type is never changed once made, so that
// trees share them. References have become pointers, double has become float where the target has none (the front end
// does both and says so), and vector types such as float4 are records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tqm::port::ir {

enum class Scalar : std::uint8_t { none, boolean, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

struct Type;
using TypeRef = std::shared_ptr<const Type>;

struct Field {
  std::string name;
  TypeRef type;
};

struct Record {
  std::string name;  // as emitted: templates' arguments have become part of the name
  std::vector<Field> fields;
  std::int64_t bytes = 0;
  std::int64_t alignment = 0;
  bool is_union = false;
  int line = 0;  // 0: not the user's own (float4 and the like)
};

struct Type {
  enum class Kind : std::uint8_t { scalar, pointer, array, record };
  Kind kind = Kind::scalar;
  Scalar scalar = Scalar::none;
  TypeRef element;         // of a pointer or an array
  std::int64_t count = 0;  // of an array
  std::shared_ptr<const Record> record;
  bool constant = false;  // the thing itself can't be written; of a pointer's element: what it points to can't
  bool is_volatile = false;
};

TypeRef scalar_type(Scalar scalar);
TypeRef pointer_to(TypeRef element);
TypeRef array_of(TypeRef element, std::int64_t count);
TypeRef record_type(std::shared_ptr<const Record> record);
TypeRef with_constant(const TypeRef& type, bool constant);

bool is_scalar(const TypeRef& type);
bool is_integer(const TypeRef& type);  // bool counts
bool is_signed_integer(const TypeRef& type);
bool is_floating(const TypeRef& type);
bool is_void(const TypeRef& type);
bool is_pointer(const TypeRef& type);
bool is_array(const TypeRef& type);
bool is_record(const TypeRef& type);
bool same_type(const TypeRef& a, const TypeRef& b);  // const and volatile don't count

std::int64_t size_of(const TypeRef& type);  // bytes, as on the device
std::int64_t size_of(Scalar scalar);
std::string type_text(const TypeRef& type);  // as C++ spells it: "const float*"
std::string scalar_text(Scalar scalar);      // as BANG C spells it: "half", "bfloat16_t", "uint32_t"

// "const float* name", "float name[4][2]"
std::string declarator(const TypeRef& type, const std::string& name);

}  // namespace tqm::port::ir
