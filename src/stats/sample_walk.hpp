// For tests and benches: walkers on a cubic lattice whose diffusion is known exactly.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace tqm::stats {

struct SampleWalk {
  size_t walkers = 20;
  size_t points = 1001;    // one unit of time apart
  double jumps = 100;      // expected, of all walkers together
  double turn_back = 0;    // probability that a jump leads back whatever came before; else any of the six directions
  double jump = 3;         // length
  double vibration = 0.3;  // standard deviation of each coordinate

  double coefficient() const {  // the true D
    const double rate = jumps / static_cast<double>(walkers) / static_cast<double>(points - 1);
    return rate * jump * jump / 6 * (1 - turn_back) / (1 + turn_back);
  }
};

// Three lists (x, y, z) a walker; jumps at the moments of a Poisson process, the direction before the first at random.
inline std::vector<std::vector<double>> sample_walk(const SampleWalk& plan, uint64_t seed) {
  Random random(seed);
  const double mean_wait = static_cast<double>(plan.walkers) * static_cast<double>(plan.points - 1) / plan.jumps;
  std::vector<std::vector<double>> lists(3 * plan.walkers, std::vector<double>(plan.points));
  for (size_t walker = 0; walker < plan.walkers; ++walker) {
    std::array<double, 3> place = {};
    uint64_t direction = random.below(6);
    double next = -std::log(1 - random.uniform()) * mean_wait;
    for (size_t t = 0; t < plan.points; ++t) {
      while (next <= static_cast<double>(t)) {
        direction = random.uniform() < plan.turn_back ? direction ^ 1 : random.below(6);
        place[direction / 2] += direction % 2 == 0 ? plan.jump : -plan.jump;
        next -= std::log(1 - random.uniform()) * mean_wait;
      }
      for (size_t axis = 0; axis < 3; ++axis)
        lists[3 * walker + axis][t] = place[axis] + plan.vibration * random.normal();
    }
  }
  return lists;
}

}  // namespace tqm::stats
