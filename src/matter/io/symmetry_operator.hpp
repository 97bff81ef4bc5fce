// A symmetry operator of a CIF, "-y+1/2, x-y, z+0.25": fractional coordinates in, fractional coordinates out.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "matter/structure/vector3.hpp"

namespace tqm::matter {

struct SymmetryOperator {
  std::array<std::array<double, 3>, 3> rotation = {};  // row i gives coordinate i
  Vec3 translation;
  Vec3 operator()(const Vec3& f) const;
};

// None where the text is no operator. Fractions, decimals (a third written 0.3333 is a third) and coefficients ("2*x",
// "x/2") are read.
std::optional<SymmetryOperator> symmetry_operator_of(std::string_view text);

}  // namespace tqm::matter
