// Are two structures the same crystal, whatever cell, origin, orientation, image or order of atoms they are written in?
#pragma once

#include "base/result.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {

struct SameTolerance {
  double lattice = 0.002;  // relative, of lengths; angles in radians
  double position = 0.02;  // Å
};

// What two crystals that are the same have in common and a computer compares fast: sums over neighbours, smooth in the
// positions, each within `kFingerprintTolerance` of the other's, relative. Of a primitive cell.
inline constexpr double kFingerprintTolerance = 0.01;
std::array<double, 4> fingerprint(const Structure& primitive);

// Both primitive and Niggli-reduced (primitive_cell). Mirror images are the same crystal. Source of the method: all
// bases of the one lattice that have the other's lengths and angles, and all translations that carry one rarest atom
// onto another, are tried.
bool same_crystal(const Structure& a, const Structure& b, const SameTolerance& tolerance = {});

}  // namespace tqm::matter
