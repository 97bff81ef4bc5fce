// The symmetry of a structure, through spglib's one door.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {

struct Symmetry {
  int group = 1;                // number of the space group, 1..230
  std::string symbol = {};      // international, short: "Fm-3m"
  std::vector<int> equivalent;  // of each atom, the first atom that an operation carries it to
  std::vector<std::array<std::array<int, 3>, 3>> rotations;  // on fractional coordinates
  std::vector<Vec3> translations;
};

// tolerance in Å. kinds: what makes two atoms the same, as many as atoms; empty: their numbers (and occupancies).
// breakdown where spglib finds none, which happens where atoms coincide.
Result<Symmetry> symmetry_of(const Structure& structure, double tolerance = 0.01, const std::vector<int>& kinds = {});

// The primitive cell, Niggli-reduced, with cell, species and positions alone; numbers of kinds of atoms as above.
Result<Structure> primitive_cell(const Structure& structure, double tolerance = 0.01);

}  // namespace tqm::matter
