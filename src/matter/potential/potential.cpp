#include "matter/potential/potential.hpp"

#include <algorithm>
#include <cmath>

namespace tqm::matter {

Status Potential::evaluate_batch(std::span<const Structure> structures, std::vector<Evaluation>& out) {
  out.resize(structures.size());
  for (size_t i = 0; i < structures.size(); ++i) TRY(evaluate(structures[i], out[i]));
  return {};
}

Status check_finite(const Evaluation& evaluation, const std::string& potential) {
  const bool good =
      std::isfinite(evaluation.energy) && std::all_of(evaluation.forces.begin(), evaluation.forces.end(), finite) &&
      std::all_of(evaluation.stress.begin(), evaluation.stress.end(), [](double s) { return std::isfinite(s); });
  if (good) return {};
  return Error{ErrorKind::breakdown, "an energy, force or stress is no finite number", potential,
               "look for atoms on top of each other (torquetum matter clean)"};
}

}  // namespace tqm::matter
