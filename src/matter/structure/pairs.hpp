// Pairs of atoms within a distance, images of the cell included. For judging structures; a potential keeps a list of
// its own.
#pragma once

#include <functional>
#include <vector>

#include "matter/structure/structure.hpp"

namespace tqm::matter {

struct Pair {
  size_t i = 0, j = 0;  // i ≤ j; i = j is an atom and its own image
  double distance = 0;  // Å
  Vec3 step = {};       // from i to j, Cartesian, Å
};

// Every pair once, any cell however small or skewed; along directions that are not periodic there are no images. Called
// in an order that depends on the structure alone. cutoff in Å.
void for_each_pair(const Structure& structure, double cutoff, const std::function<void(const Pair&)>& call);

}  // namespace tqm::matter
