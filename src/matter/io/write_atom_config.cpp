#include <fmt/format.h>

#include "matter/io/oriented.hpp"
#include "matter/io/words.hpp"
#include "matter/io/write.hpp"

namespace tqm::matter {

Result<std::string> write_atom_config(const Structure& s) {
  TRY(require_ordered(s));
  TRY(require_cell(s, "atom.config"));
  std::string text = fmt::format("{} atoms\n Lattice vector (Angstrom)\n", s.size());
  for (const Vec3& row : s.cell.rows) text += "  " + exact(row) + "\n";
  text += " Position (normalized), move_x, move_y, move_z\n";
  const std::vector<Vec3> fractions = fractional_positions(s);
  for (size_t i = 0; i < s.size(); ++i) {
    text += fmt::format("  {} {}", s.numbers[i], exact(fractions[i]));
    for (size_t k = 0; k < 3; ++k) text += s.movable.empty() || s.movable[i][k] ? " 1" : " 0";
    text += "\n";
  }
  if (!s.velocities.empty()) {
    text += " Velocity (bohr/fs)\n";
    for (size_t i = 0; i < s.size(); ++i)
      text += fmt::format("  {} {}\n", s.numbers[i], exact(s.velocities[i] * (1 / kBohr)));
  }
  if (!s.magnetic_moments.empty()) {
    text += " MAGNETIC\n";
    for (size_t i = 0; i < s.size(); ++i) text += fmt::format("  {} {}\n", s.numbers[i], exact(s.magnetic_moments[i]));
  }
  return text;
}

}  // namespace tqm::matter
