// PWmat's atom.config (a structure, final.config too) and MOVEMENT (a trajectory).
//
// One grammar serves both: a line that begins with the number of atoms, then blocks that keyword lines open, in any
// order; MOVEMENT's first line holds time and energies, and a line of dashes ends each frame.
//
// What a reader of MOVEMENT must know, and this one does: the block `Force` holds dE/dR, that is −F, under both of its
// headers; the energy wanted is Ep, for Etot has the kinetic energy in it; `nonperiodic_Position` is the same atoms
// once more; velocities are bohr/fs; header lines hold words such as "Velocity Verlet". The stress behind the lattice
// rows is V·σ in eV, positive in tension: it equals −V times the `Pressure Internal` of the same frame. Two other
// readers take it for a virial, of the opposite sign; a file that is proved to hold that is read with
// stress_is_pressure. The nine numbers stand in notes as they are, under pwmat_stress_ev.
#pragma once

#include <memory>

#include "matter/io/frames.hpp"

namespace tqm::matter {

std::unique_ptr<FrameReader> read_atom_config(Lines lines, const ReadOptions& options = {});
std::unique_ptr<FrameReader> read_movement(Lines lines, const ReadOptions& options = {});

}  // namespace tqm::matter
