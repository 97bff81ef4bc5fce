// The syntax of CIF and the tables of space groups: gemmi's one door. C++17, because gemmi's headers of Debian 12 are
// no C++20 to Clang; so nothing of ours but the standard library's types is in here.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tqm::matter {

struct CifBlock {
  std::string name;
  // Tag in lower case → its values without quotes, one or a loop's column; "" for ? and .
  std::map<std::string, std::vector<std::string>> values;
};

// All data blocks; none, and why in error, where the text is no CIF.
std::optional<std::vector<CifBlock>> parse_cif(const std::string& text, const std::string& name, std::string& error);

// An operator on fractional coordinates, all numbers in units of 1/24.
struct TabledOperator {
  std::array<std::array<int, 3>, 3> rotation = {};
  std::array<int, 3> translation = {};
};
inline constexpr int kTabledUnit = 24;

// Of a Hall symbol; none where it is not one.
std::optional<std::vector<TabledOperator>> operators_of_hall(const std::string& symbol);

struct TabledGroup {
  std::vector<TabledOperator> operators;
  bool two_origins = false;  // the group has two choices of origin, and the first was taken
};
// Of a Hermann–Mauguin name; angles (degrees) choose between hexagonal and rhombohedral axes. None where no group is
// called so.
std::optional<TabledGroup> group_of_name(const std::string& name, double alpha, double gamma);

}  // namespace tqm::matter
