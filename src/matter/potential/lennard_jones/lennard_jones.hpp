// Lennard-Jones, one pair of parameters for all atoms: V(r) = 4ε((σ/r)¹² − (σ/r)⁶), shifted and tilted by a line so
// that V and dV/dr are zero at the cutoff (Toxvaerd and Dyre, J. Chem. Phys. 134, 081102 (2011)). Energy is then
// conserved whatever crosses the cutoff. For tests of the engine; no material is described by it.
#pragma once

#include <memory>
#include <string_view>

#include "matter/potential/neighbours/neighbours.hpp"
#include "matter/potential/potential.hpp"

namespace tqm::matter {

struct LennardJonesParameters {
  double epsilon_ev = 0.0104, sigma_angstrom = 3.4, cutoff_angstrom = 8.5;  // argon
};

// "lennard-jones" or "lennard-jones:epsilon=0.0104,sigma=3.4,cutoff=8.5", any of the three.
Result<LennardJonesParameters> parse_lennard_jones(std::string_view specification);

class LennardJones : public Potential {
 public:
  LennardJones(const LennardJonesParameters& parameters, const PotentialOptions& options);
  std::string name() const override { return "lennard-jones"; }
  std::string softening() const override { return "not a model of any material: its forces have no known error"; }
  double cutoff_angstrom() const override { return parameters_.cutoff_angstrom; }
  Status evaluate(const Structure& structure, Evaluation& out) override;
  const std::vector<Vec3>& list_positions() const override { return list_.positions(); }
  void rebuild_list(const Structure& structure) override { list_.rebuild(structure, team_); }

 private:
  LennardJonesParameters parameters_;
  Team team_;
  NeighbourList list_;
};

}  // namespace tqm::matter
