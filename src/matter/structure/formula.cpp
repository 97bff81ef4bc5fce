#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "base/text.hpp"
#include "matter/structure/element.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {
namespace {

// Where an element stands in a formula: metals by group and row first, then metalloids, anions last (the order that
// IUPAC's table of 2005 draws through the groups, from the metals to fluorine).
int place(int number) {
  static constexpr std::array<int, 18> kLast = {5, 14, 32, 50, 6, 33, 15, 51, 7, 1, 52, 34, 16, 53, 35, 17, 8, 9};
  const auto found = std::find(kLast.begin(), kLast.end(), number);
  return found == kLast.end() ? 0 : 1 + static_cast<int>(found - kLast.begin());
}

// Alkali metals, alkaline earths, then everything else by number.
int family(int number) {
  for (int alkali : {3, 11, 19, 37, 55, 87})
    if (number == alkali) return 0;
  for (int earth : {4, 12, 20, 38, 56, 88})
    if (number == earth) return 1;
  return 2;
}

std::string count_text(double count) {
  std::string text = fixed_text(count, 3);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "1" ? "" : text;
}

}  // namespace

std::string formula(const Structure& structure) {
  const std::map<int, double> counts = composition(structure);
  std::vector<std::pair<int, double>> parts(counts.begin(), counts.end());
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return std::tuple(place(a.first), family(a.first), a.first) < std::tuple(place(b.first), family(b.first), b.first);
  });
  int64_t divisor = 0;
  for (const auto& [number, count] : parts)
    divisor =
        std::abs(count - std::round(count)) < 1e-6 ? std::gcd(divisor, static_cast<int64_t>(std::llround(count))) : 1;
  for (const auto& [number, count] : parts)
    if (std::abs(count - std::round(count)) >= 1e-6) divisor = 1;
  std::string text;
  for (const auto& [number, count] : parts)
    text += std::string(symbol(number)) + count_text(count / static_cast<double>(std::max<int64_t>(divisor, 1)));
  return text;
}

}  // namespace tqm::matter
