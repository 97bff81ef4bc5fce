// Which atom stands on which site: all arrangements where they are few, else a seeded Monte Carlo search for those of
// low Ewald energy.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.hpp"
#include "matter/order/counts.hpp"
#include "matter/order/oxidation.hpp"
#include "matter/order/sites.hpp"

namespace tqm::matter {

struct ArrangeOptions {
  double exclusion = 1.2;  // Å: sites nearer than this are not both occupied (0.6 Å where one atom is hydrogen)
  size_t most_candidates = 10'000;  // beyond, Monte Carlo
  size_t keep = 10;
  uint64_t seed = 1;
  int restarts = 8;                              // of the Monte Carlo, each from another beginning
  std::function<Status()> check_stop = nullptr;  // called between units of work
};

struct Arrangement {
  std::vector<int> species;  // atomic number on each site; 0: empty
  double energy = 0;         // Ewald, eV
};

struct Arranged {
  std::vector<Arrangement> best;  // lowest energy first, different in energy or in arrangement, at most options.keep
  bool complete = false;          // all arrangements were tried
  size_t tried = 0;               // arrangements, or steps of the Monte Carlo
};

// Refuses where no arrangement keeps to the exclusion.
Result<Arranged> arrange(const Sites& sites, const Counts& counts, const OxidationStates& states,
                         const ArrangeOptions& options);

}  // namespace tqm::matter
