#include <algorithm>
#include <fmt/format.h>

#include "matter/io/oriented.hpp"
#include "matter/io/words.hpp"
#include "matter/io/write.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {

Result<std::string> write_lammps_data(const Structure& structure) {
  TRY(require_ordered(structure));
  TRY(require_cell(structure, "lammps-data"));
  Structure s = oriented(structure);
  reduce_tilts(s);
  std::vector<int> species;
  for (int number : s.numbers)
    if (std::find(species.begin(), species.end(), number) == species.end()) species.push_back(number);
  std::string text = one_line(s.name.empty() ? formula(s) : s.name) + ", units = metal\n\n";
  text += fmt::format("{} atoms\n{} atom types\n\n", s.size(), species.size());
  for (size_t k = 0; k < 3; ++k) text += fmt::format("0 {0} {1}lo {1}hi\n", exact(s.cell[k][k]), "xyz"[k]);
  text += fmt::format("{} {} {} xy xz yz\n\nMasses\n\n", exact(s.cell[1].x), exact(s.cell[2].x), exact(s.cell[2].y));
  for (size_t type = 0; type < species.size(); ++type)
    text += fmt::format("{} {} # {}\n", type + 1, exact(atomic_mass(species[type])), symbol(species[type]));
  text += s.charges.empty() ? "\nAtoms # atomic\n\n" : "\nAtoms # charge\n\n";
  for (size_t i = 0; i < s.size(); ++i) {
    const auto type = std::find(species.begin(), species.end(), s.numbers[i]) - species.begin() + 1;
    text += fmt::format("{} {}{} {}\n", i + 1, type, s.charges.empty() ? "" : " " + exact(s.charges[i]),
                        exact(s.positions[i]));
  }
  if (s.velocities.empty()) return text;
  text += "\nVelocities\n\n";
  for (size_t i = 0; i < s.size(); ++i) text += fmt::format("{} {}\n", i + 1, exact(s.velocities[i] * 1e3));  // Å/ps
  return text;
}

}  // namespace tqm::matter
