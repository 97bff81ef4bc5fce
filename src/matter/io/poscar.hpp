// POSCAR, CONTCAR and XDATCAR of VASP (its wiki's pages of these names).
#pragma once

#include <memory>

#include "matter/io/frames.hpp"

namespace tqm::matter {

// One structure. The scale line may hold a volume (negative) or three factors; species may be missing (VASP 4: then the
// first line must name them), repeat, and carry a tail ("Li_sv"); flags of selective dynamics and Cartesian velocities
// (Å/fs) are read, what follows them is not.
std::unique_ptr<FrameReader> read_poscar(Lines lines, const ReadOptions& options = {});
// A trajectory, with one cell or a cell for each frame. Its positions are wrapped and it holds no times.
std::unique_ptr<FrameReader> read_xdatcar(Lines lines, const ReadOptions& options = {});

}  // namespace tqm::matter
