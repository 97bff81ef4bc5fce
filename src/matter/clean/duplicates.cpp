#include "matter/clean/duplicates.hpp"

#include <cmath>

#include "matter/symmetry/same.hpp"
#include "matter/symmetry/symmetry.hpp"

namespace tqm::matter {

std::optional<int64_t> Duplicates::earlier(const Structure& structure, int64_t frame) {
  if (!is_ordered(structure)) return {};
  auto primitive = primitive_cell(structure);
  if (!primitive) return {};
  const std::array<double, 4> now = fingerprint(*primitive);
  std::multimap<double, Seen>& mates = seen_[formula(structure)];
  const double reach = kFingerprintTolerance * now[0];
  for (auto at = mates.lower_bound(now[0] - reach); at != mates.end() && at->first <= now[0] + reach; ++at) {
    bool near = true;
    for (size_t k = 1; k < now.size(); ++k)
      near = near && std::abs(at->second.fingerprint[k] - now[k]) <= kFingerprintTolerance * now[k];
    if (near && same_crystal(at->second.primitive, *primitive)) return at->second.frame;
  }
  mates.emplace(now[0], Seen{frame, now, std::move(*primitive)});
  return {};
}

}  // namespace tqm::matter
