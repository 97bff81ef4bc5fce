#include "port/emit/bang/lane_totals.hpp"

#include <array>
#include <string_view>

namespace tqm::port::emit {

namespace {

struct Total {
  std::string_view name, call, what;
};

constexpr std::array kTotals{Total{"sum_of_lanes", "__bang_add", "sum"},
                             Total{"largest_of_lanes", "__bang_maximum", "largest"},
                             Total{"smallest_of_lanes", "__bang_minimum", "smallest"}};

}  // namespace

bool is_lane_total(const std::string& name) {
  for (const auto& total : kTotals)
    if (total.name == name) return true;
  return false;
}

std::string lane_total_text(const std::set<std::string>& names) {
  std::string out;
  for (const auto& total : kTotals) {
    if (!names.contains(std::string(total.name))) continue;
    out += "// The " + std::string(total.what) + " of the first n, half upon half; what x holds is used up.\n" +
           "__mlu_func__ float " + std::string(total.name) + "(float* x, int n) {\n" +
           "  while (n > 1) {\n    const int half = (n + 1) / 2;\n    " + std::string(total.call) +
           "(x, x, x + half, n - half);\n    n = half;\n  }\n  return x[0];\n}\n\n";
  }
  return out;
}

}  // namespace tqm::port::emit
