// LAMMPS: data files (a structure) and dumps (a trajectory), as its manual's pages `read_data`, `dump` and
// `Howto_triclinic` have them.
//
// What these readers see to: atoms come in any order and are sorted by id; image flags unwrap positions; the bounds of
// a tilted box in a dump are those of its bounding box; positions may be x, xu, xs or xsu; the origin is moved to 0.
// Elements are found in a column `element`, in type labels, in comments behind masses, in ReadOptions::types, or by
// mass, in this order; without any, the file is refused. Units: metal (ps) and real (kcal/mol); others are refused.
#pragma once

#include <memory>

#include "matter/io/frames.hpp"

namespace tqm::matter {

std::unique_ptr<FrameReader> read_lammps_data(Lines lines, const ReadOptions& options = {});
std::unique_ptr<FrameReader> read_lammps_dump(Lines lines, const ReadOptions& options = {});

// What LAMMPS's units are in ours.
struct LammpsUnits {
  double velocity = 0;  // Å/fs
  double energy = 0;    // eV
  double time = 0;      // fs
};
// unsupported for others than "metal" and "real".
Result<LammpsUnits> lammps_units(std::string_view name, const std::string& where);

}  // namespace tqm::matter
