// A value in all lanes at once, and the arithmetic of indices that move by a fixed step.
#pragma once

#include <map>
#include <optional>

#include "port/ir/build.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::emit {

struct LaneValue {
  enum class Kind { uniform, affine, vector, mask, none };
  Kind kind = Kind::none;
  ir::ExprRef scalar;    // uniform: the value; affine: that of lane 0
  ir::ExprRef step;      // affine: from one lane to the next; of a pointer in elements
  ir::ExprRef pointer;   // vector, mask: where lane 0 lies in NRAM
  ir::TypeRef type;      // of an element
  bool aligned = false;  // affine, step 1, and lane 0 lies where it lies in its segment (row_segments.cpp)
  bool known() const { return kind != Kind::none; }
};

// Sums and products with constants worked out.
ir::ExprRef folded(ir::Op op, const ir::ExprRef& a, const ir::ExprRef& b);
std::optional<std::int64_t> constant_of(const ir::ExprRef& expr);

// Integers that a name stands for: declared with a constant, written nowhere else.
using Constants = std::map<ir::VariableRef, std::int64_t>;
Constants constants_in(const ir::Stmts& body);
std::optional<std::int64_t> constant_of(const ir::ExprRef& expr, const Constants& constants);

// The number that lane 0 has as an index of the type: what is below zero stays below zero, also where the type is
// unsigned and the lanes that it holds for are further on.
ir::ExprRef counted_as(const ir::TypeRef& type, const ir::ExprRef& first);
bool never_negative(const ir::ExprRef& expr);

LaneValue uniform_value(const ir::ExprRef& scalar);
LaneValue affine_value(const ir::ExprRef& first, const ir::ExprRef& step, const ir::TypeRef& type);
LaneValue vector_value(const ir::ExprRef& pointer, const ir::TypeRef& type);

// a + b and the like where one or both are affine; none where the result is not.
LaneValue affine_binary(ir::Op op, const LaneValue& a, const LaneValue& b, const ir::TypeRef& type);

}  // namespace tqm::port::emit
