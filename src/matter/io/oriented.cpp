#include "matter/io/oriented.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tqm::matter {
namespace {

// Rows of an orthonormal frame: along a, along b's part that is perpendicular to it, and the right-handed third.
Mat3 frame_of(const Mat3& cell) {
  const Vec3 x = cell[0] * (1 / norm(cell[0]));
  const Vec3 across = cell[1] - x * dot(cell[1], x);
  const Vec3 y = across * (1 / norm(across));
  return {{x, y, cross(x, y)}};
}

}  // namespace

Structure oriented(const Structure& structure) {
  Structure s = structure;
  if (determinant(s.cell) < 0) s.cell = s.cell * -1;
  const bool already = s.cell[0].y == 0 && s.cell[0].z == 0 && s.cell[1].z == 0 && s.cell[0].x > 0 && s.cell[1].y > 0;
  if (already) return s;
  const Mat3 turn = transposed(frame_of(s.cell));  // a row times it is in the new axes
  s.cell = s.cell * turn;
  s.cell[0].y = s.cell[0].z = s.cell[1].z = 0;  // but for rounding they are
  for (Vec3& v : s.positions) v = v * turn;
  for (Vec3& v : s.velocities) v = v * turn;
  for (Vec3& v : s.forces) v = v * turn;
  if (s.stress) s.stress = stress_of(transposed(turn) * stress_matrix(*s.stress) * turn);
  return s;
}

void reduce_tilts(Structure& s) {
  Mat3& cell = s.cell;
  cell[1] -= cell[0] * std::round(cell[1].x / cell[0].x);
  cell[2] -= cell[1] * std::round(cell[2].y / cell[1].y);
  cell[2] -= cell[0] * std::round(cell[2].x / cell[0].x);
}

Status require_cell(const Structure& structure, std::string_view form) {
  if (volume(structure) > 0) return {};
  return Error{ErrorKind::unsupported, fmt::format("the form {} needs a cell, and the structure has none", form),
               structure.name, "give it a Lattice, or write extxyz"};
}

}  // namespace tqm::matter
