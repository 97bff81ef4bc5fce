// A crystal turned so that a lies along x and b in the plane of x and y, as CIF implies and LAMMPS asks.
#pragma once

#include "base/result.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {

// The same crystal: cell, positions, velocities, forces and stress are turned together. A left-handed cell has all
// three vectors reversed first, which is the same lattice, so that nothing is mirrored.
Structure oriented(const Structure& structure);
// The same lattice by vectors whose tilts are within half a length (b along x; c along x and y). Of an oriented
// structure.
void reduce_tilts(Structure& structure);
// Refuses what has no cell to write; form for the message.
Status require_cell(const Structure& structure, std::string_view form);

}  // namespace tqm::matter
