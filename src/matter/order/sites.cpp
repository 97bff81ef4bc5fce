#include "matter/order/sites.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "matter/structure/element.hpp"
#include "matter/structure/pairs.hpp"

namespace tqm::matter {
namespace {

constexpr double kOneSite = 0.1;  // Å

}  // namespace

double SiteClass::vacancy() const {
  const double filled = std::accumulate(occupancies.begin(), occupancies.end(), 0.0);
  return filled > 1 - 1e-4 ? 0 : 1 - filled;
}

std::vector<size_t> Sites::count_of(size_t classes_count) const {
  std::vector<size_t> counts(classes_count, 0);
  for (size_t c : class_of) ++counts[c];
  return counts;
}

Result<Sites> sites_of(const Structure& s) {
  std::vector<size_t> site(s.size());
  std::iota(site.begin(), site.end(), size_t{0});
  for_each_pair(s, kOneSite, [&](const Pair& pair) { site[pair.j] = std::min(site[pair.j], site[pair.i]); });
  Sites sites;
  sites.cell = s.cell;
  std::map<std::pair<std::string, std::vector<std::pair<int, double>>>, size_t> known;
  for (size_t first = 0; first < s.size(); ++first) {
    if (site[first] != first) continue;
    std::map<int, double> here;
    std::string label;
    double sum = 0;
    for (size_t i = first; i < s.size(); ++i) {
      if (site[i] != first) continue;
      const double occupancy = s.occupancies.empty() ? 1 : s.occupancies[i];
      here[s.numbers[i]] += occupancy;
      sum += occupancy;
      if (!s.labels.empty()) label += (label.empty() ? "" : "/") + s.labels[i];
    }
    if (sum > 1 + 1e-3)
      return Error{ErrorKind::bad_input,
                   fmt::format("atoms within {} Å of each other at {} fill their site to {:.3f}", kOneSite,
                               label.empty() ? std::string(symbol(s.numbers[first])) : label, sum),
                   s.name, "mend the file: a site holds one atom at most"};
    std::vector<std::pair<int, double>> list;
    for (const auto& [number, occupancy] : here)
      list.emplace_back(number, std::min(std::round(occupancy * 1e6) / 1e6, 1.0));
    const auto [place, fresh] = known.emplace(std::pair(label, list), sites.classes.size());
    if (fresh) {
      SiteClass made;
      made.label = label;
      for (const auto& [number, occupancy] : list) {
        made.species.push_back(number);
        made.occupancies.push_back(occupancy);
      }
      sites.classes.push_back(made);
    }
    sites.positions.push_back(s.positions[first]);
    sites.class_of.push_back(place->second);
  }
  return sites;
}

Sites repeated(const Sites& sites, const std::array<int, 3>& times) {
  Structure s;
  s.cell = sites.cell;
  s.positions = sites.positions;
  s.numbers.assign(sites.positions.size(), 1);
  const Structure big = repeated(s, times);
  Sites result = sites;
  result.cell = big.cell;
  result.positions = big.positions;
  result.class_of.clear();
  const size_t copies = big.size() / sites.positions.size();
  for (size_t copy = 0; copy < copies; ++copy)
    result.class_of.insert(result.class_of.end(), sites.class_of.begin(), sites.class_of.end());
  return result;
}

}  // namespace tqm::matter
