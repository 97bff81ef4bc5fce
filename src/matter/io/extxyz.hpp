// Extended XYZ: a count, a line of key=value, one line an atom; plain XYZ too, whose comment is then the name.
//
// Read are the names that ASE, GPUMD, MACE and others give: energy, REF_energy or free_energy (eV); forces or force
// (eV/Å); stress (eV/Å³, tension positive; nine numbers or Voigt's six) or virial (eV, −V times the stress); vel (Å/fs,
// GPUMD), velocities or velo and momenta (ASE's units); charges, magmoms, move_mask. Written are energy, forces, stress
// (nine), vel, charges, magmoms, move_mask.
#pragma once

#include <memory>

#include "matter/io/frames.hpp"

namespace tqm::matter {

std::unique_ptr<FrameReader> read_extxyz(Lines lines, const ReadOptions& options = {});

}  // namespace tqm::matter
