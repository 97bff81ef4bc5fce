#include "matter/clean/judge.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "matter/io/words.hpp"
#include "matter/structure/element.hpp"
#include "matter/structure/pairs.hpp"

namespace tqm::matter {
namespace {

constexpr double kPairCutoff = 6;           // Å
constexpr double kAbsurdStress = 1;         // eV/Å³, 160 GPa
constexpr double kAbsurdTemperature = 2e4;  // K
constexpr double kNetForce = 0.1;           // eV/Å an atom
constexpr size_t kLeastTogether = 10;

double radius(int number) {
  return covalent_radius(number).value_or(1.7);
}

// Distances over the sum of radii: each atom's nearest, and the smallest of all.
struct Distances {
  std::vector<double> nearest;  // of each atom; 0: none within the cutoff
  Pair closest;
  double ratio = 0;
};

Distances distances_of(const Structure& s) {
  Distances found;
  found.nearest.assign(s.size(), 0);
  for_each_pair(s, kPairCutoff, [&](const Pair& pair) {
    // Two that are there in part may be the one or the other.
    if (!s.occupancies.empty() && s.occupancies[pair.i] + s.occupancies[pair.j] <= 1 + 1e-6) return;
    const double ratio = pair.distance / (radius(s.numbers[pair.i]) + radius(s.numbers[pair.j]));
    for (size_t atom : {pair.i, pair.j})
      if (found.nearest[atom] == 0 || ratio < found.nearest[atom]) found.nearest[atom] = ratio;
    if (found.ratio == 0 || ratio < found.ratio) {
      found.ratio = ratio;
      found.closest = pair;
    }
  });
  return found;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// All coordinates between −1 and 1 in a cell of several Å, impossible as they stand and possible as fractions.
bool looks_fractional(const Structure& s, const Distances& now, double closest) {
  if (s.size() < 2 || !(volume(s) > 0) || now.ratio == 0 || now.ratio > closest) return false;
  for (const Vec3& p : s.positions)
    for (size_t k = 0; k < 3; ++k)
      if (std::abs(p[k]) > 1 + 1e-9) return false;
  Structure other = s;
  for (Vec3& p : other.positions) p = p * s.cell;
  const Distances then = distances_of(other);
  return then.ratio > closest;
}

void judge_units(const Structure& s, const Distances& seen, const JudgeOptions& options,
                 const std::function<void(std::string)>& unit) {
  if (looks_fractional(s, seen, options.closest)) {
    unit("fractional coordinates stand where Cartesian ones should: as fractions all distances are possible");
  } else if (is_ordered(s)) {
    std::vector<double> nearest;
    for (double ratio : seen.nearest)
      if (ratio > 0) nearest.push_back(ratio);
    const double typical = median(nearest);
    if (nearest.size() >= 2 && typical > 1.65 && typical < 2.4)
      unit(fmt::format("lengths look like bohr taken for Å: neighbours are {:.2f} times the sum of their radii apart",
                       typical));
    if (nearest.size() >= 2 && typical > 0.45 && typical < 0.6)
      unit(fmt::format("lengths look like Å taken for bohr: neighbours are {:.2f} times the sum of their radii apart",
                       typical));
  }
  if (s.stress)
    for (double value : *s.stress)
      if (std::abs(value) > kAbsurdStress) {
        unit(fmt::format("a stress of {:.0f} GPa: was it given in kbar, GPa or as a virial?", value / kGpa));
        break;
      }
  if (s.velocities.empty()) return;
  double kinetic = 0;
  for (size_t i = 0; i < s.size(); ++i)
    kinetic += atomic_mass(s.numbers[i]) * dot(s.velocities[i], s.velocities[i]) / 2 * kMassVelocitySquared;
  const double temperature = 2 * kinetic / (3 * static_cast<double>(s.size()) * kBoltzmann);
  if (temperature > kAbsurdTemperature)
    unit(fmt::format("velocities of {:.3g} K: were they given in Å/ps, bohr/fs or ASE's unit?", temperature));
}

// The robust distance of each value from the median, in standard deviations of a normal distribution of the same
// quartiles.
std::vector<double> robust_scores(const std::vector<double>& values, double least_spread) {
  const double middle = median(values);
  std::vector<double> off;
  for (double value : values) off.push_back(std::abs(value - middle));
  const double spread = std::max(1.4826 * median(off), least_spread);
  std::vector<double> scores;
  for (double value : values) scores.push_back((value - middle) / spread);
  return scores;
}

}  // namespace

std::string_view name(Fault fault) {
  switch (fault) {
    case Fault::distance:
      return "distance";
    case Fault::unit:
      return "unit";
    case Fault::unconverged:
      return "unconverged";
    case Fault::energy:
      return "energy";
    case Fault::force:
      return "force";
    case Fault::duplicate:
      return "duplicate";
  }
  ASSERT(false);
}

Summary judge(const Structure& s, int64_t frame, const JudgeOptions& options, std::vector<Finding>& findings) {
  auto add = [&](Fault fault, std::string text) { findings.push_back({frame, fault, std::move(text)}); };
  Summary summary;
  summary.formula = formula(s);
  summary.atoms = s.size();
  const Distances seen = distances_of(s);
  summary.shortest_ratio = seen.ratio;
  summary.shortest = seen.closest.distance;
  if (seen.ratio > 0 && seen.ratio < options.closest)
    add(Fault::distance,
        fmt::format("atoms {} ({}) and {} ({}) are {:.3f} Å apart, {:.2f} times the sum of their radii",
                    seen.closest.i + 1, symbol(s.numbers[seen.closest.i]), seen.closest.j + 1,
                    symbol(s.numbers[seen.closest.j]), seen.closest.distance, seen.ratio));
  judge_units(s, seen, options, [&](std::string text) { add(Fault::unit, std::move(text)); });
  if (s.converged && !*s.converged) add(Fault::unconverged, "the file says that the frame did not converge");
  if (const auto steps = s.notes.find("scf_steps"); steps != s.notes.end()) {
    const auto count = number_of(steps->second);
    if (count && *count >= options.most_scf_steps)
      add(Fault::unconverged, fmt::format("{:.0f} steps of the electronic iteration: it ran into its limit", *count));
  }
  if (s.energy) summary.energy_per_atom = *s.energy / static_cast<double>(s.size());
  if (s.forces.empty()) return summary;
  Vec3 net;
  double largest = 0;
  for (const Vec3& force : s.forces) {
    net += force;
    largest = std::max(largest, norm(force));
  }
  summary.largest_force = largest;
  if (largest > options.most_force) add(Fault::force, fmt::format("a force of {:.1f} eV/Å", largest));
  if (norm(net) > kNetForce * static_cast<double>(s.size()))
    add(Fault::force, fmt::format("the forces add up to {:.2f} eV/Å and not to zero", norm(net)));
  return summary;
}

void judge_together(const std::vector<Summary>& summaries, const JudgeOptions& options,
                    std::vector<Finding>& findings) {
  std::map<std::string, std::vector<size_t>> energies, forces;  // formula → frames that have one
  for (size_t i = 0; i < summaries.size(); ++i) {
    if (summaries[i].energy_per_atom) energies[summaries[i].formula].push_back(i);
    if (summaries[i].largest_force && *summaries[i].largest_force > 0) forces[summaries[i].formula].push_back(i);
  }
  for (const auto& [formula, frames] : energies) {
    if (frames.size() < kLeastTogether) continue;
    std::vector<double> values;
    for (size_t i : frames) values.push_back(*summaries[i].energy_per_atom);
    const std::vector<double> scores = robust_scores(values, options.least_outlier / options.outlier);
    for (size_t k = 0; k < frames.size(); ++k)
      if (std::abs(scores[k]) > options.outlier)
        findings.push_back(
            {static_cast<int64_t>(frames[k]) + 1, Fault::energy,
             fmt::format("an energy of {:.4f} eV/atom, {:+.0f} robust standard deviations from the median of {}",
                         values[k], scores[k], formula)});
  }
  for (const auto& [formula, frames] : forces) {
    if (frames.size() < kLeastTogether) continue;
    std::vector<double> values;  // logarithms: forces of all sizes occur, but not ten times the others'
    for (size_t i : frames) values.push_back(std::log(*summaries[i].largest_force));
    const std::vector<double> scores = robust_scores(values, std::log(3) / options.outlier);
    for (size_t k = 0; k < frames.size(); ++k)
      if (scores[k] > options.outlier)
        findings.push_back(
            {static_cast<int64_t>(frames[k]) + 1, Fault::force,
             fmt::format("a largest force of {:.2f} eV/Å, {:+.0f} robust standard deviations from the median of {}",
                         std::exp(values[k]), scores[k], formula)});
  }
}

}  // namespace tqm::matter
