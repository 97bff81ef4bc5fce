// What is wrong with one structure taken alone, and the few numbers by which structures are judged together.
#pragma once

#include <string>
#include <vector>

#include "matter/structure/structure.hpp"

namespace tqm::matter {

enum class Fault {
  distance,     // two atoms nearer than any bond
  unit,         // a unit slip: fractional for Cartesian, bohr for Å, a stress or a velocity of another unit
  unconverged,  // the electronic iteration did not converge
  energy,       // an energy far from those of the same composition
  force,        // forces far from those of the others, or that do not add up to zero
  duplicate,    // the same crystal as an earlier frame
};
std::string_view name(Fault fault);  // "distance"

struct Finding {
  int64_t frame = 0;  // over all files, from 1
  Fault fault = Fault::distance;
  std::string text;  // one sentence without a full stop
};

struct JudgeOptions {
  double closest = 0.55;        // of the sum of covalent radii: nearer is impossible
  double most_force = 100;      // eV/Å
  double most_scf_steps = 100;  // PWmat: an iteration that long ran into its limit
  double outlier = 8;           // robust standard deviations
  double least_outlier = 0.05;  // eV/atom: an energy nearer to the median than this is none
};

// Numbers that are kept of every frame.
struct Summary {
  std::string formula;
  size_t atoms = 0;
  double shortest_ratio = 0;  // the smallest distance over the sum of covalent radii; 0: no pair within 6 Å
  double shortest = 0;        // Å, of that pair
  std::optional<double> energy_per_atom, largest_force;
};

// findings get those of this frame.
Summary judge(const Structure& structure, int64_t frame, const JudgeOptions& options, std::vector<Finding>& findings);

// Energies and forces far from the others'. summaries: of frames 1, 2, … Fewer than ten frames of a composition are not
// judged.
void judge_together(const std::vector<Summary>& summaries, const JudgeOptions& options, std::vector<Finding>& findings);

}  // namespace tqm::matter
