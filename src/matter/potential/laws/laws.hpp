// What holds of every potential, as expectations for the tests of each: forces are −dE/dx, stress is dE/dε/V, and
// energy does not change when a structure is turned, moved, numbered otherwise or repeated.
#pragma once

#include "matter/potential/potential.hpp"

namespace tqm::matter::laws {

struct Tolerances {
  double energy = 1e-10;     // eV an atom, between two ways to write one structure
  double force = 1e-9;       // eV/Å, the same
  double difference = 1e-6;  // eV/Å: forces against differences of the energy, relative to the largest force + 1
  double step = 1e-4;        // Å, of those differences
  double stress = 1e-6;      // eV/Å³, against differences
};

void expect_forces_are_differences(Potential& potential, const Structure& structure, const Tolerances& tolerances);
void expect_stress_is_differences(Potential& potential, const Structure& structure, const Tolerances& tolerances);
void expect_invariances(Potential& potential, const Structure& structure, const Tolerances& tolerances);

}  // namespace tqm::matter::laws
