#include "matter/dynamics/velocities.hpp"

#include <algorithm>
#include <cmath>

#include "matter/structure/element.hpp"

namespace tqm::matter {

int64_t degrees_of_freedom(const Structure& structure) {
  return std::max<int64_t>(1, 3 * static_cast<int64_t>(structure.size()) - 3);
}

double kinetic_energy(const Structure& structure) {
  double sum = 0;
  for (size_t i = 0; i < structure.velocities.size(); ++i) {
    sum += atomic_mass(structure.numbers[i]) * dot(structure.velocities[i], structure.velocities[i]);
  }
  return sum / 2 * kMassVelocitySquared;
}

double kinetic_temperature(const Structure& structure) {
  return 2 * kinetic_energy(structure) / (static_cast<double>(degrees_of_freedom(structure)) * kBoltzmann);
}

void remove_drift(Structure& structure) {
  Vec3 momentum;
  double whole = 0;
  for (size_t i = 0; i < structure.velocities.size(); ++i) {
    const double mass_of_atom = atomic_mass(structure.numbers[i]);
    momentum += mass_of_atom * structure.velocities[i];
    whole += mass_of_atom;
  }
  if (whole <= 0) return;
  const Vec3 drift = momentum * (1 / whole);
  for (Vec3& velocity : structure.velocities) velocity -= drift;
}

void draw_velocities(Structure& structure, double temperature_k, Random& random) {
  structure.velocities.resize(structure.size());
  for (size_t i = 0; i < structure.size(); ++i) {
    const double width =
        std::sqrt(kBoltzmann * temperature_k / (atomic_mass(structure.numbers[i]) * kMassVelocitySquared));
    for (size_t k = 0; k < 3; ++k) structure.velocities[i][k] = width * random.normal();
  }
  remove_drift(structure);
}

}  // namespace tqm::matter
