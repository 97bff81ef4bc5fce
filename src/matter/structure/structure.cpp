#include "matter/structure/structure.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kGramPerCm3 = 1.66053906660;  // one u/Å³

bool all_finite(const std::vector<Vec3>& list) {
  return std::all_of(list.begin(), list.end(), [](const Vec3& item) { return finite(item); });
}

bool all_finite(const std::vector<double>& list) {
  return std::all_of(list.begin(), list.end(), [](double item) { return std::isfinite(item); });
}

template <class T>
bool fits(const std::vector<T>& list, size_t atoms) {
  return list.empty() || list.size() == atoms;
}

template <class T>
void repeat(std::vector<T>& list, size_t times) {
  const size_t size = list.size();
  list.reserve(size * times);
  for (size_t copy = 1; copy < times; ++copy)
    for (size_t i = 0; i < size; ++i) list.push_back(list[i]);
}

}  // namespace

Mat3 stress_matrix(const Stress& s) {
  return {{Vec3{s[0], s[5], s[4]}, Vec3{s[5], s[1], s[3]}, Vec3{s[4], s[3], s[2]}}};
}

Stress stress_of(const Mat3& m) {
  return {m[0].x, m[1].y, m[2].z, (m[1].z + m[2].y) / 2, (m[0].z + m[2].x) / 2, (m[0].y + m[1].x) / 2};
}

bool is_ordered(const Structure& structure) {
  return std::all_of(structure.occupancies.begin(), structure.occupancies.end(), [](double o) { return o == 1; });
}

Status require_ordered(const Structure& structure) {
  for (size_t i = 0; i < structure.occupancies.size(); ++i)
    if (structure.occupancies[i] != 1)
      return Error{ErrorKind::unsupported,
                   fmt::format("atom {} ({}) is there only to {:.4g}: the structure is disordered", i + 1,
                               symbol(structure.numbers[i]), structure.occupancies[i]),
                   structure.name, "make ordered cells of it first: torquetum matter order FILE"};
  return {};
}

Status check(const Structure& s, const std::string& where) {
  auto refuse = [&](std::string what, std::string next = "mend the file") {
    return Error{ErrorKind::bad_input, std::move(what), where, std::move(next)};
  };
  const size_t atoms = s.size();
  if (s.positions.size() != atoms) return refuse(fmt::format("{} species and {} positions", atoms, s.positions.size()));
  if (!fits(s.occupancies, atoms) || !fits(s.velocities, atoms) || !fits(s.forces, atoms) || !fits(s.charges, atoms) ||
      !fits(s.magnetic_moments, atoms) || !fits(s.movable, atoms) || !fits(s.labels, atoms))
    return refuse(fmt::format("a list of values that has not one for each of the {} atoms", atoms));
  for (size_t i = 0; i < atoms; ++i) {
    if (s.numbers[i] < 1 || s.numbers[i] > kMostElements)
      return refuse(fmt::format("atom {} has the atomic number {}, which no element has", i + 1, s.numbers[i]));
    if (!finite(s.positions[i])) return refuse(fmt::format("the position of atom {} is not finite", i + 1));
    if (!s.occupancies.empty() && !(s.occupancies[i] > 0 && s.occupancies[i] <= 1))
      return refuse(fmt::format("atom {} has the occupancy {}, outside 0 to 1", i + 1, s.occupancies[i]));
  }
  if (!all_finite(s.velocities) || !all_finite(s.forces) || !all_finite(s.charges) || !all_finite(s.magnetic_moments))
    return refuse("a velocity, force, charge or moment is not finite", "leave such frames out: they did not converge");
  if (s.energy && !std::isfinite(*s.energy)) return refuse("the energy is not finite");
  if (s.stress && !std::all_of(s.stress->begin(), s.stress->end(), [](double v) { return std::isfinite(v); }))
    return refuse("the stress is not finite");
  if (!finite(s.cell[0]) || !finite(s.cell[1]) || !finite(s.cell[2])) return refuse("the cell is not finite");
  const bool any_periodic = s.periodic[0] || s.periodic[1] || s.periodic[2];
  const double lengths = norm(s.cell[0]) * norm(s.cell[1]) * norm(s.cell[2]);
  const double spanned = std::abs(determinant(s.cell));
  if (any_periodic && !(spanned > 1e-9 * lengths && std::isfinite(lengths) && std::isnormal(spanned)))
    return refuse("the lattice vectors span no volume", "give three that do not lie in one plane");
  return {};
}

double volume(const Structure& structure) {
  return std::abs(determinant(structure.cell));
}

double mass(const Structure& structure) {
  double sum = 0;
  for (const auto& [number, count] : composition(structure)) sum += count * atomic_mass(number);
  return sum;
}

double density(const Structure& structure) {
  return mass(structure) / volume(structure) * kGramPerCm3;
}

std::map<int, double> composition(const Structure& structure) {
  std::map<int, double> counts;
  for (size_t i = 0; i < structure.size(); ++i)
    counts[structure.numbers[i]] += structure.occupancies.empty() ? 1 : structure.occupancies[i];
  return counts;
}

std::array<double, 6> cell_parameters(const Mat3& cell) {
  auto angle = [](const Vec3& u, const Vec3& v) {
    return std::atan2(norm(cross(u, v)), dot(u, v)) / kDegree;  // exact near 0, 90 and 180 degrees alike
  };
  return {norm(cell[0]),           norm(cell[1]),           norm(cell[2]),
          angle(cell[1], cell[2]), angle(cell[0], cell[2]), angle(cell[0], cell[1])};
}

Result<Mat3> cell_from_parameters(const std::array<double, 6>& p, const std::string& where) {
  for (double value : p)
    if (!(std::isfinite(value) && value > 0))
      return Error{ErrorKind::bad_input, "a cell length or angle is not positive", where, "mend the cell"};
  // cos and sin of a right angle are exact, so that a cubic cell has no 1e-16 in it.
  auto cosine = [](double degrees) { return degrees == 90 ? 0.0 : std::cos(degrees * kDegree); };
  const double ca = cosine(p[3]), cb = cosine(p[4]), cg = cosine(p[5]);
  const double sg = p[5] == 90 ? 1.0 : std::sin(p[5] * kDegree);
  const double cx = cb, cy = (ca - cb * cg) / sg, rest = 1 - cx * cx - cy * cy;
  if (!(rest > 1e-12) || !(sg > 1e-6) || p[3] >= 180 || p[4] >= 180 || p[5] >= 180)
    return Error{ErrorKind::bad_input,
                 fmt::format("no cell has the angles {:.6g}, {:.6g} and {:.6g} degrees", p[3], p[4], p[5]), where,
                 "mend the cell"};
  return Mat3{{Vec3{p[0], 0, 0}, Vec3{p[1] * cg, p[1] * sg, 0}, Vec3{p[2] * cx, p[2] * cy, p[2] * std::sqrt(rest)}}};
}

std::array<double, 3> cell_widths(const Mat3& cell) {
  const double spanned = std::abs(determinant(cell));
  return {spanned / norm(cross(cell[1], cell[2])), spanned / norm(cross(cell[2], cell[0])),
          spanned / norm(cross(cell[0], cell[1]))};
}

std::vector<Vec3> fractional_positions(const Structure& structure) {
  const Mat3 to_fractional = inverse(structure.cell);
  std::vector<Vec3> fractions;
  fractions.reserve(structure.size());
  for (const Vec3& position : structure.positions) fractions.push_back(position * to_fractional);
  return fractions;
}

double wrapped(double fraction) {
  const double inside = fraction - std::floor(fraction);
  return inside >= 1 ? 0 : inside;
}

std::vector<Vec3> wrapped_fractional_positions(const Structure& structure) {
  std::vector<Vec3> fractions = fractional_positions(structure);
  for (Vec3& f : fractions)
    for (size_t k = 0; k < 3; ++k)
      if (structure.periodic[k]) f[k] = wrapped(f[k]);
  return fractions;
}

Structure repeated(const Structure& structure, const std::array<int, 3>& times) {
  ASSERT(times[0] > 0 && times[1] > 0 && times[2] > 0);
  const size_t copies = static_cast<size_t>(times[0]) * static_cast<size_t>(times[1]) * static_cast<size_t>(times[2]);
  Structure result = structure;
  repeat(result.numbers, copies);
  repeat(result.occupancies, copies);
  repeat(result.velocities, copies);
  repeat(result.forces, copies);
  repeat(result.charges, copies);
  repeat(result.magnetic_moments, copies);
  repeat(result.movable, copies);
  repeat(result.labels, copies);
  result.positions.clear();
  for (int i = 0; i < times[0]; ++i)
    for (int j = 0; j < times[1]; ++j)
      for (int k = 0; k < times[2]; ++k) {
        const Vec3 shift = Vec3{double(i), double(j), double(k)} * structure.cell;
        for (const Vec3& position : structure.positions) result.positions.push_back(position + shift);
      }
  for (size_t k = 0; k < 3; ++k) result.cell[k] *= times[k];
  if (result.energy) *result.energy *= static_cast<double>(copies);
  return result;
}

}  // namespace tqm::matter
