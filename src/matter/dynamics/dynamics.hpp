// Molecular dynamics at constant volume: velocity Verlet, alone or with a thermostat. Every ensemble keeps the centre
// of mass at rest, so each has 3N − 3 degrees of freedom. Positions are never wrapped: displacements are differences.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/random.hpp"
#include "matter/potential/potential.hpp"

namespace tqm::matter {

enum class Ensemble {
  nve,          // no thermostat
  csvr,         // stochastic velocity rescaling, Bussi, Donadio, Parrinello, J. Chem. Phys. 126, 014101 (2007)
  nose_hoover,  // a chain of three, Martyna, Tuckerman, Tobias, Klein, Mol. Phys. 87, 1117 (1996)
  langevin,  // BAOAB, Leimkuhler and Matthews, J. Chem. Phys. 138, 174102 (2013); for equilibration: it slows diffusion
};
std::string_view name(Ensemble ensemble);  // "nose-hoover"
std::optional<Ensemble> ensemble_by_name(std::string_view text);

struct DynamicsOptions {
  Ensemble ensemble = Ensemble::nve;
  double timestep_fs = 1;
  double temperature_k = 300;  // of the thermostat
  double relaxation_fs = 200;  // of the kinetic energy (csvr, nose-hoover), of velocities (langevin)
};

class Dynamics {
 public:
  // The structure's velocities are kept but for their drift; none are taken as zero. The potential must outlive it.
  // Refuses steps, temperatures and times that are not positive, and fewer than two atoms.
  static Result<Dynamics> start(Structure structure, Potential& potential, const DynamicsOptions& options,
                                const Random& random);

  // One timestep. breakdown where a number is no longer finite or an atom moves by more than 1 Å within the step; the
  // state is then not to be used.
  Status step();

  const Structure& structure() const { return structure_; }
  const Evaluation& evaluation() const { return evaluation_; }  // at the structure's positions
  int64_t steps() const { return steps_; }
  double kinetic() const;  // eV
  // eV; constant but for the timestep's error: the total energy less what the thermostat has given. For langevin that
  // holds in the limit of small steps only.
  double conserved() const;

 private:
  static constexpr size_t kChain = 3;
  Dynamics(Structure structure, Potential& potential, const DynamicsOptions& options, const Random& random);
  void kick();
  Status drift(double share);
  void rescale();
  void move_chain();
  void friction();
  void scale_velocities(double factor);

  Structure structure_;
  Potential* potential_;
  DynamicsOptions options_;
  Random random_;
  Evaluation evaluation_ = {};
  std::vector<double> masses_ = {};  // eV fs²/Å²
  int64_t steps_ = 0;
  double given_ = 0;                       // eV by csvr and langevin so far
  std::array<double, kChain> place_ = {};  // η of the chain
  std::array<double, kChain> speed_ = {};  // dη/dt, 1/fs
};

}  // namespace tqm::matter
