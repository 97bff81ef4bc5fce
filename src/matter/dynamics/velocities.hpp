// Velocities of atoms whose centre of mass rests: 3N − 3 degrees of freedom. Units as in units.hpp (Å/fs, eV, K).
#pragma once

#include "base/random.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {

// 3N − 3; at least 1 (one atom alone has no temperature).
int64_t degrees_of_freedom(const Structure& structure);
// eV; zero without velocities.
double kinetic_energy(const Structure& structure);
// K: 2 K / ((3N − 3) kB).
double kinetic_temperature(const Structure& structure);
// Takes the centre of mass's velocity from every atom.
void remove_drift(Structure& structure);
// Maxwell and Boltzmann's distribution at this temperature, without drift; the kinetic energy fluctuates as it should
// and is not scaled to its mean.
void draw_velocities(Structure& structure, double temperature_k, Random& random);

}  // namespace tqm::matter
