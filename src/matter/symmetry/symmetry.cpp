#include "matter/symmetry/symmetry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <spglib.h>

namespace tqm::matter {
namespace {

// spglib's form: columns are lattice vectors.
struct Cell {
  double lattice[3][3];
  std::vector<std::array<double, 3>> positions;
  std::vector<int> types;
};

Cell cell_of(const Structure& s, const std::vector<int>& kinds, size_t room = 1) {
  Cell cell{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < 3; ++k) cell.lattice[k][i] = s.cell[i][k];
  const std::vector<Vec3> fractions = wrapped_fractional_positions(s);
  for (const Vec3& f : fractions) cell.positions.push_back({f.x, f.y, f.z});
  std::map<std::pair<int, double>, int> known;
  for (size_t i = 0; i < s.size(); ++i) {
    const std::pair key(s.numbers[i], s.occupancies.empty() ? 1.0 : s.occupancies[i]);
    cell.types.push_back(kinds.empty() ? known.emplace(key, static_cast<int>(known.size()) + 1).first->second
                                       : kinds[i]);
  }
  cell.positions.resize(s.size() * room);
  cell.types.resize(s.size() * room);
  return cell;
}

double (*positions_of(Cell& cell))[3] {
  return reinterpret_cast<double(*)[3]>(cell.positions.data());
}

Error no_symmetry(const Structure& s) {
  return {ErrorKind::breakdown,
          fmt::format("spglib finds no symmetry of it: {}", spg_get_error_message(spg_get_error_code())), s.name,
          "do atoms coincide? torquetum matter clean tells"};
}

Status require_crystal(const Structure& s) {
  if (s.size() > 0 && volume(s) > 0 && s.periodic[0] && s.periodic[1] && s.periodic[2]) return {};
  return Error{ErrorKind::unsupported, "only a structure that is periodic in three directions has a space group",
               s.name, ""};
}

}  // namespace

Result<Symmetry> symmetry_of(const Structure& s, double tolerance, const std::vector<int>& kinds) {
  TRY(require_crystal(s));
  ASSERT(kinds.empty() || kinds.size() == s.size());
  Cell cell = cell_of(s, kinds);
  const std::unique_ptr<SpglibDataset, void (*)(SpglibDataset*)> found(
      spg_get_dataset(cell.lattice, positions_of(cell), cell.types.data(), static_cast<int>(s.size()), tolerance),
      spg_free_dataset);
  if (!found || found->spacegroup_number == 0) return no_symmetry(s);
  Symmetry symmetry;
  symmetry.group = found->spacegroup_number;
  symmetry.symbol = found->international_symbol;
  symmetry.equivalent.assign(found->equivalent_atoms, found->equivalent_atoms + found->n_atoms);
  for (int i = 0; i < found->n_operations; ++i) {
    std::array<std::array<int, 3>, 3> rotation;
    for (size_t a = 0; a < 3; ++a)
      for (size_t b = 0; b < 3; ++b) rotation[a][b] = found->rotations[i][a][b];
    symmetry.rotations.push_back(rotation);
    symmetry.translations.push_back({found->translations[i][0], found->translations[i][1], found->translations[i][2]});
  }
  return symmetry;
}

Result<Structure> primitive_cell(const Structure& s, double tolerance) {
  TRY(require_crystal(s));
  TRY(require_ordered(s));
  Cell cell = cell_of(s, s.numbers);
  const int atoms =
      spg_find_primitive(cell.lattice, positions_of(cell), cell.types.data(), static_cast<int>(s.size()), tolerance);
  if (atoms <= 0) return no_symmetry(s);
  Structure small;
  small.name = s.name;
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < 3; ++k) small.cell[i][k] = cell.lattice[k][i];
  for (size_t i = 0; i < static_cast<size_t>(atoms); ++i) {
    small.numbers.push_back(cell.types[i]);
    small.positions.push_back(Vec3{cell.positions[i][0], cell.positions[i][1], cell.positions[i][2]} * small.cell);
  }
  double lattice[3][3];
  std::copy(&cell.lattice[0][0], &cell.lattice[0][0] + 9, &lattice[0][0]);
  if (spg_niggli_reduce(lattice, tolerance / 1000) == 0) return no_symmetry(s);
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < 3; ++k) small.cell[i][k] = lattice[k][i];
  return small;
}

}  // namespace tqm::matter
