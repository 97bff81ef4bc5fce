// How many atoms of each species each class of sites gets: whole numbers, near the composition, neutral. And in which
// supercell.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "matter/order/oxidation.hpp"
#include "matter/order/sites.hpp"

namespace tqm::matter {

struct Counts {
  std::vector<std::vector<int>> of_class;  // class → species of the class → atoms
  std::map<int, double> deviation;         // element → (atoms − wanted) / wanted
  double worst = 0;                        // the largest of them, absolute
};

// For `copies` cells. None where no whole numbers are neutral and within tolerance for every element; nearest then
// holds what came nearest to the composition among neutral ones, if any.
std::optional<Counts> whole_counts(const Sites& sites, int copies, const OxidationStates& states, double tolerance,
                                   std::optional<double>* nearest = nullptr);

// n1 × n2 × n3 = copies with the widest narrowest width.
std::array<int, 3> supercell_of(const Mat3& cell, int copies);

}  // namespace tqm::matter
