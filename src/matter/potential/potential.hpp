// The one interface of potentials: a structure in, its energy and what follows from it out. Which potentials there are
// stands in table/potentials.hpp. Units as everywhere in matter (units.hpp).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {

struct Evaluation {
  double energy = 0;                          // eV, of the whole cell
  std::vector<Vec3> forces = {};              // eV/Å
  Stress stress = {};                         // eV/Å³, positive in tension; zero where nothing is periodic
  std::vector<double> magnetic_moments = {};  // µB, absolute; empty where the potential knows none
  std::vector<double> site_energies = {};     // eV, sum to the energy but for rounding
};

// What a potential is asked to be, besides its name.
struct PotentialOptions {
  std::vector<int> species = {};  // atomic numbers of everything it will be given; others may be refused later
  std::string device = "cpu";     // LibTorch's name of it
  bool float64 = false;           // a network's arithmetic; positions are double always
  int threads = 0;                // 0: as many as the process may use
  double skin_angstrom = 0.5;     // how much further than the cutoff the neighbour list looks, see neighbours.hpp
};

// Not for two threads at once: a potential keeps its neighbour list from one call to the next.
class Potential {
 public:
  virtual ~Potential() = default;
  virtual std::string name() const = 0;
  // Its known error in forces, one sentence: every report states it.
  virtual std::string softening() const = 0;
  virtual double cutoff_angstrom() const = 0;
  virtual bool has_magnetic_moments() const { return false; }

  // Fills out, whose vectors are used again where they are large enough. Disordered structures, unknown species and
  // atoms on one place are refused.
  virtual Status evaluate(const Structure& structure, Evaluation& out) = 0;
  // The same of many at once, for potentials that gain by it.
  virtual Status evaluate_batch(std::span<const Structure> structures, std::vector<Evaluation>& out);

  // Where the neighbour list was last built, and building it there again: a restart that does so continues to the same
  // bytes.
  virtual const std::vector<Vec3>& list_positions() const = 0;
  virtual void rebuild_list(const Structure& structure) = 0;
};

// breakdown where something in it is no finite number.
Status check_finite(const Evaluation& evaluation, const std::string& potential);

}  // namespace tqm::matter
