// CHGNet's network (Deng et al., Nat. Mach. Intell. 5, 1031 (2023)) with a backward pass of our own: what the energy
// changes with each bond's length and each angle's cosine, without automatic differentiation. Single or double
// precision, on any device of LibTorch.
//
// The first linear layer of each gated pair reads [centre, bond, neighbour] (or [bond, bond, angle, centre]) side by
// side. It is applied to atoms, bonds and angles apart, and its parts are gathered and summed after, not before: the
// same sum, of far fewer products, since an atom has some eighty edges.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "matter/potential/checkpoint/checkpoint.hpp"
#include "matter/potential/chgnet/graph.hpp"

namespace tqm::matter::chgnet {

struct Outcome {
  std::vector<double> site_energies;  // eV, with the element's reference
  std::vector<double> moments;        // µB
  std::vector<double> of_length;      // eV/Å, of bonds
  std::vector<double> of_cosine;      // eV, of angles
};

class Network {
 public:
  // Refuses checkpoints of another shape, and unknown devices.
  static Result<Network> make(const Checkpoint& checkpoint, const std::string& where, const std::string& device,
                              bool float64);
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();
  double cutoff() const;        // Å, of bonds
  double angle_cutoff() const;  // Å, of bonds that make angles
  Status run(const Graph& graph, Outcome& out) const;

 private:
  struct Parts;
  explicit Network(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tqm::matter::chgnet
