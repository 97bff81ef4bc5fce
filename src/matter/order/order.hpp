// Partial occupancies into ordered cells: oxidation states, a supercell with whole numbers, arrangements of low Ewald
// energy. What ranks them finally, a potential, comes after: `keep` of them are handed on.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "matter/order/arrange.hpp"

namespace tqm::matter {

struct OrderOptions {
  ArrangeOptions arrange = {};
  OxidationStates oxidation = {};  // overrules the table
  double tolerance = 0.02;         // of each element's count, relative
  int most_atoms = 400;            // in an ordered cell
};

struct Ordered {
  std::vector<Structure>
      cells;  // lowest Ewald energy first, that is in notes as ewald_ev; one where the file was ordered already
  bool already = false;  // nothing was there in part
  std::array<int, 3> supercell = {1, 1, 1};
  OxidationStates states = {};
  std::map<int, int> atoms = {};         // element → how many in the cell
  std::map<int, double> deviation = {};  // element → relative, of the composition that the occupancies give
  double worst_deviation = 0;
  std::optional<double> stated_deviation = {};  // largest, of the occupancies from the composition that the file states
  bool complete = false;                        // every arrangement was tried
  size_t tried = 0;
};

// Refuses, with the reason: not neutral, no supercell small enough, no arrangement.
Result<Ordered> order(const Structure& structure, const OrderOptions& options);

}  // namespace tqm::matter
