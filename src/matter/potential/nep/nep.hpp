// Neuroevolution potentials on the CPU: double precision, vectors of the CPU's own width, threads.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "matter/potential/neighbours/neighbours.hpp"
#include "matter/potential/nep/nep_file.hpp"
#include "matter/potential/potential.hpp"

namespace tqm::matter {

class Nep : public Potential {
 public:
  static Result<std::unique_ptr<Nep>> open(const std::filesystem::path& path, std::string name, std::string softening,
                                           const PotentialOptions& options);
  static Result<std::unique_ptr<Nep>> make(nep::Model model, std::string name, std::string softening,
                                           const PotentialOptions& options);
  std::string name() const override { return name_; }
  std::string softening() const override { return softening_; }
  double cutoff_angstrom() const override { return model_.view.longest_radial; }
  const nep::Model& model() const { return model_; }
  Status evaluate(const Structure& structure, Evaluation& out) override;
  const std::vector<Vec3>& list_positions() const override { return list_.positions(); }
  void rebuild_list(const Structure& structure) override { list_.rebuild(structure, team_); }

 private:
  Nep(nep::Model model, std::string name, std::string softening, nep::Kernel kernel, const PotentialOptions& options);
  nep::Model model_;
  std::string name_, softening_;
  nep::Kernel kernel_;
  Team team_;
  NeighbourList list_;
  std::vector<int> types_;
  std::vector<nep::Work> work_;  // of each thread
};

}  // namespace tqm::matter
