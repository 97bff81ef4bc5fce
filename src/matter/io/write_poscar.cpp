#include <algorithm>
#include <fmt/format.h>

#include "matter/io/oriented.hpp"
#include "matter/io/words.hpp"
#include "matter/io/write.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {

Result<std::string> write_poscar(const Structure& s) {
  TRY(require_ordered(s));
  TRY(require_cell(s, "poscar"));
  std::vector<int> species;
  for (int number : s.numbers)
    if (std::find(species.begin(), species.end(), number) == species.end()) species.push_back(number);
  std::vector<size_t> order;
  std::string symbols, counts;
  for (int number : species) {
    const size_t before = order.size();
    for (size_t i = 0; i < s.size(); ++i)
      if (s.numbers[i] == number) order.push_back(i);
    symbols += fmt::format(" {}", symbol(number));
    counts += fmt::format(" {}", order.size() - before);
  }
  std::string text = one_line(s.name.empty() ? formula(s) : s.name) + "\n1.0\n";
  for (const Vec3& row : s.cell.rows) text += "  " + exact(row) + "\n";
  text += symbols + "\n" + counts + "\n";
  if (!s.movable.empty()) text += "Selective dynamics\n";
  text += "Direct\n";
  const std::vector<Vec3> fractions = fractional_positions(s);
  for (size_t i : order) {
    text += "  " + exact(fractions[i]);
    if (!s.movable.empty())
      for (bool free : s.movable[i]) text += free ? " T" : " F";
    text += "\n";
  }
  if (s.velocities.empty()) return text;
  text += "\n";
  for (size_t i : order) text += "  " + exact(s.velocities[i]) + "\n";
  return text;
}

}  // namespace tqm::matter
