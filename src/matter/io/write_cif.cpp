#include <fmt/format.h>

#include "matter/io/oriented.hpp"
#include "matter/io/words.hpp"
#include "matter/io/write.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {

Result<std::string> write_cif(const Structure& structure) {
  TRY(require_cell(structure, "cif"));
  const Structure s = oriented(structure);
  std::string text = "data_" + one_word(s.name.empty() ? formula(s) : s.name) + "\n";
  const std::array<double, 6> cell = cell_parameters(s.cell);
  static constexpr const char* kTags[] = {"_cell_length_a",    "_cell_length_b",   "_cell_length_c",
                                          "_cell_angle_alpha", "_cell_angle_beta", "_cell_angle_gamma"};
  for (size_t i = 0; i < 6; ++i) text += fmt::format("{} {}\n", kTags[i], exact(cell[i]));
  text +=
      "_symmetry_space_group_name_H-M 'P 1'\n_symmetry_Int_Tables_number 1\n"
      "loop_\n_symmetry_equiv_pos_as_xyz\n'x, y, z'\n"
      "loop_\n_atom_site_label\n_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n"
      "_atom_site_occupancy\n";
  const std::vector<Vec3> fractions = fractional_positions(s);
  for (size_t i = 0; i < s.size(); ++i) {
    const std::string label = s.labels.empty() || s.labels[i].empty() ? fmt::format("{}{}", symbol(s.numbers[i]), i + 1)
                                                                      : one_word(s.labels[i]);
    text += fmt::format("{} {} {} {}\n", label, symbol(s.numbers[i]), exact(fractions[i]),
                        exact(s.occupancies.empty() ? 1.0 : s.occupancies[i]));
  }
  return text;
}

}  // namespace tqm::matter
