#include "matter/potential/nep/nep.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {

Result<std::unique_ptr<Nep>> Nep::open(const std::filesystem::path& path, std::string name, std::string softening,
                                       const PotentialOptions& options) {
  return make(TRY(nep::read_nep(path, options.species)), std::move(name), std::move(softening), options);
}

Result<std::unique_ptr<Nep>> Nep::make(nep::Model model, std::string name, std::string softening,
                                       const PotentialOptions& options) {
  const nep::Kernel kernel = TRY(nep::fastest_kernel());
  return std::unique_ptr<Nep>(new Nep(std::move(model), std::move(name), std::move(softening), kernel, options));
}

Nep::Nep(nep::Model model, std::string name, std::string softening, nep::Kernel kernel, const PotentialOptions& options)
    : model_(std::move(model)),
      name_(std::move(name)),
      softening_(std::move(softening)),
      kernel_(kernel),
      team_(options.threads),
      list_(model_.view.longest_radial, options.skin_angstrom),
      work_(static_cast<size_t>(team_.size())) {}

Status Nep::evaluate(const Structure& structure, Evaluation& out) {
  TRY(require_ordered(structure));
  const size_t atoms = structure.size();
  types_.resize(atoms);
  for (size_t i = 0; i < atoms; ++i) {
    const auto at = std::lower_bound(model_.species.begin(), model_.species.end(), structure.numbers[i]);
    if (at == model_.species.end() || *at != structure.numbers[i]) {
      return Error{ErrorKind::unsupported, name_ + " was opened without " + std::string(symbol(structure.numbers[i])),
                   "", "open the potential with every element that it will be given"};
    }
    types_[i] = static_cast<int>(at - model_.species.begin());
  }
  list_.update(structure, team_);
  out.site_energies.resize(atoms);
  out.forces.resize(atoms);
  out.magnetic_moments.clear();
  const nep::Input input{structure, list_, types_, out.site_energies};
  team_.run([&](int member) {
    nep::Work& mine = work_[static_cast<size_t>(member)];
    mine.forces.assign(atoms, {});
    mine.virial = {};
    const auto [begin, end] = team_.share(member, static_cast<int64_t>(atoms));
    kernel_(model_.view, input, static_cast<size_t>(begin), static_cast<size_t>(end), mine);
    team_.barrier();
    // Always summed in the order of threads: the same bytes at the same number of them.
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      Vec3 total;
      for (const nep::Work& work : work_) total += work.forces[i];
      out.forces[i] = total;
    }
  });
  out.energy = 0;
  for (const double energy : out.site_energies) out.energy += energy;
  out.stress = {};
  if (structure.periodic[0] && structure.periodic[1] && structure.periodic[2]) {
    Mat3 virial;
    for (const nep::Work& work : work_) {
      for (size_t k = 0; k < 9; ++k) virial[k / 3][k % 3] += work.virial[k];
    }
    out.stress = stress_of(virial * (1 / volume(structure)));
  }
  return check_finite(out, name_);
}

}  // namespace tqm::matter
