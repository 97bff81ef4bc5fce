// A disordered structure as sites, each with what may stand on it, in classes that a CIF's row and its images make.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {

struct SiteClass {
  std::string label;
  std::vector<int> species;         // atomic numbers, ascending
  std::vector<double> occupancies;  // of each species; their sum at most 1
  bool partial() const { return species.size() != 1 || occupancies[0] < 1; }
  double vacancy() const;
};

struct Sites {
  Mat3 cell;
  std::vector<SiteClass> classes;
  std::vector<Vec3> positions;                               // Cartesian, Å
  std::vector<size_t> class_of;                              // of each position
  std::vector<size_t> count_of(size_t classes_count) const;  // sites of each class
};

// Atoms within 0.1 Å share a site. Refuses sites whose occupancies add up to more than 1.
Result<Sites> sites_of(const Structure& structure);
Sites repeated(const Sites& sites, const std::array<int, 3>& times);

}  // namespace tqm::matter
