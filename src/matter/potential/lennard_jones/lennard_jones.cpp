#include "matter/potential/lennard_jones/lennard_jones.hpp"

#include <cmath>
#include <cstdlib>

#include "base/text.hpp"

namespace tqm::matter {

Result<LennardJonesParameters> parse_lennard_jones(std::string_view specification) {
  LennardJonesParameters parameters;
  const std::string where(specification);
  const size_t colon = specification.find(':');
  if (colon == std::string_view::npos) return parameters;
  for (const std::string& part : split(specification.substr(colon + 1), ',')) {
    const size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string text = equals == std::string::npos ? "" : part.substr(equals + 1);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value) || value <= 0) {
      return Error{ErrorKind::usage, "\"" + part + "\" is no positive number with a name", where,
                   "write for example lennard-jones:epsilon=0.0104,sigma=3.4,cutoff=8.5 (eV, Å, Å)"};
    }
    if (key == "epsilon") {
      parameters.epsilon_ev = value;
    } else if (key == "sigma") {
      parameters.sigma_angstrom = value;
    } else if (key == "cutoff") {
      parameters.cutoff_angstrom = value;
    } else {
      return Error{ErrorKind::usage, "Lennard-Jones has no parameter \"" + key + "\"", where,
                   "it has epsilon, sigma and cutoff"};
    }
  }
  return parameters;
}

LennardJones::LennardJones(const LennardJonesParameters& parameters, const PotentialOptions& options)
    : parameters_(parameters), team_(options.threads), list_(parameters.cutoff_angstrom, options.skin_angstrom) {}

Status LennardJones::evaluate(const Structure& structure, Evaluation& out) {
  TRY(require_ordered(structure));
  list_.update(structure, team_);
  const size_t atoms = structure.size();
  out.forces.assign(atoms, {});
  out.site_energies.assign(atoms, 0);
  out.magnetic_moments.clear();
  const double sigma_squared = parameters_.sigma_angstrom * parameters_.sigma_angstrom;
  const double cutoff = parameters_.cutoff_angstrom, cutoff_squared = cutoff * cutoff;
  const double four_epsilon = 4 * parameters_.epsilon_ev;
  const double edge6 = std::pow(sigma_squared / cutoff_squared, 3);
  const double edge = four_epsilon * (edge6 * edge6 - edge6);
  const double edge_slope = -four_epsilon * (12 * edge6 * edge6 - 6 * edge6) / cutoff;
  // Each pair is seen from both of its atoms, so no thread writes what another reads.
  std::vector<std::array<double, 6>> virials(static_cast<size_t>(team_.size()), std::array<double, 6>{});
  team_.run([&](int member) {
    const auto [begin, end] = team_.share(member, static_cast<int64_t>(atoms));
    std::array<double, 6>& virial = virials[static_cast<size_t>(member)];
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      for (const Neighbour& neighbour : list_.of(i)) {
        const Vec3 r = separation(structure, i, neighbour);
        const double squared = dot(r, r);
        if (squared >= cutoff_squared) continue;
        const double distance = std::sqrt(squared), s6 = std::pow(sigma_squared / squared, 3);
        const double slope = -four_epsilon * (12 * s6 * s6 - 6 * s6) / distance - edge_slope;
        out.site_energies[i] += 0.5 * (four_epsilon * (s6 * s6 - s6) - edge - edge_slope * (distance - cutoff));
        const Vec3 pull = r * (slope / distance);
        out.forces[i] += pull;
        virial[0] += 0.5 * pull.x * r.x, virial[1] += 0.5 * pull.y * r.y, virial[2] += 0.5 * pull.z * r.z;
        virial[3] += 0.5 * pull.y * r.z, virial[4] += 0.5 * pull.x * r.z, virial[5] += 0.5 * pull.x * r.y;
      }
    }
  });
  out.energy = 0;
  for (const double energy : out.site_energies) out.energy += energy;
  out.stress = {};
  if (structure.periodic[0] && structure.periodic[1] && structure.periodic[2]) {
    for (const auto& virial : virials) {
      for (size_t k = 0; k < 6; ++k) out.stress[k] += virial[k] / volume(structure);
    }
  }
  return check_finite(out, name());
}

}  // namespace tqm::matter
