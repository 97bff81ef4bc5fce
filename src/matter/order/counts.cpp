#include "matter/order/counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tqm::matter {
namespace {

constexpr long kMostNodes = 3'000'000;

// One number to choose: the atoms of a species in a class.
struct Unknown {
  size_t class_index, species_index;
  int number;  // of the element
  int state;
  double wanted;
  std::vector<int> values;  // nearest first
  bool last_of_class;
};

class Search {
 public:
  Search(const Sites& sites, int copies, const OxidationStates& states, double tolerance)
      : sites_(sites), tolerance_(tolerance), sites_of_(sites.count_of(sites.classes.size())) {
    counts_.of_class.resize(sites.classes.size());
    for (size_t c = 0; c < sites.classes.size(); ++c) {
      const SiteClass& site = sites.classes[c];
      sites_of_[c] *= static_cast<size_t>(copies);
      counts_.of_class[c].assign(site.species.size(), 0);
      for (size_t k = 0; k < site.species.size(); ++k) {
        const double wanted = site.occupancies[k] * static_cast<double>(sites_of_[c]);
        wanted_[site.species[k]] += wanted;
        const int state = states.at(site.species[k]);
        if (!site.partial()) {
          counts_.of_class[c][k] = static_cast<int>(sites_of_[c]);
          have_[site.species[k]] += static_cast<int>(sites_of_[c]);
          charge_ += state * static_cast<long>(sites_of_[c]);
        } else {
          unknowns_.push_back({c, k, site.species[k], state, wanted, {}, k + 1 == site.species.size()});
        }
      }
    }
    for (Unknown& u : unknowns_) fill_values(u);
  }

  std::optional<Counts> run(std::optional<double>* nearest) {
    descend(0, 0);
    if (nearest && std::isfinite(nearest_)) *nearest = nearest_;
    if (!std::isfinite(best_cost_)) return {};
    return best_;
  }

 private:
  // Whole numbers around what is wanted, as far as the element's tolerance goes, at least one on each side.
  void fill_values(Unknown& u) const {
    const double reach = std::max(1.0, std::min(3.0, tolerance_ * wanted_.at(u.number)));
    const int low = std::max(0, static_cast<int>(std::ceil(u.wanted - reach - 1e-9)));
    const int high =
        std::min(static_cast<int>(sites_of_[u.class_index]), static_cast<int>(std::floor(u.wanted + reach + 1e-9)));
    for (int value = low; value <= high; ++value) u.values.push_back(value);
    std::sort(u.values.begin(), u.values.end(),
              [&](int a, int b) { return std::abs(a - u.wanted) < std::abs(b - u.wanted); });
  }

  void descend(size_t at, double cost) {
    if (++nodes_ > kMostNodes || cost >= best_cost_) return;
    if (at == unknowns_.size()) return judge(cost);
    const Unknown& u = unknowns_[at];
    std::vector<int>& counts = counts_.of_class[u.class_index];
    const int before = counts[u.species_index];
    int others = 0;
    for (int count : counts) others += count;
    const int room = static_cast<int>(sites_of_[u.class_index]) - others;
    const bool filled = sites_.classes[u.class_index].vacancy() == 0;
    for (int value : u.values) {
      if (value > room || (u.last_of_class && filled && value != room)) continue;
      counts[u.species_index] = value;
      have_[u.number] += value;
      charge_ += static_cast<long>(u.state) * value;
      const double off = value - u.wanted;
      descend(at + 1, cost + off * off / std::max(u.wanted, 0.5));
      have_[u.number] -= value;
      charge_ -= static_cast<long>(u.state) * value;
    }
    counts[u.species_index] = before;
  }

  void judge(double cost) {
    if (charge_ != 0) return;
    Counts found = counts_;
    for (const auto& [number, wanted] : wanted_) {
      const double off = (have_[number] - wanted) / wanted;
      found.deviation[number] = off;
      found.worst = std::max(found.worst, std::abs(off));
    }
    nearest_ = std::min(nearest_, found.worst);
    if (found.worst > tolerance_ + 1e-9) return;
    best_cost_ = cost;
    best_ = std::move(found);
  }

  const Sites& sites_;
  double tolerance_;
  std::vector<size_t> sites_of_;
  std::vector<Unknown> unknowns_;
  std::map<int, double> wanted_;
  std::map<int, int> have_;
  long charge_ = 0, nodes_ = 0;
  Counts counts_, best_;
  double best_cost_ = std::numeric_limits<double>::infinity(), nearest_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::optional<Counts> whole_counts(const Sites& sites, int copies, const OxidationStates& states, double tolerance,
                                   std::optional<double>* nearest) {
  return Search(sites, copies, states, tolerance).run(nearest);
}

std::array<int, 3> supercell_of(const Mat3& cell, int copies) {
  const std::array<double, 3> widths = cell_widths(cell);
  std::array<int, 3> best = {copies, 1, 1};
  double widest = 0;
  for (int a = 1; a <= copies; ++a)
    for (int b = 1; copies % a == 0 && b <= copies / a; ++b) {
      if ((copies / a) % b != 0) continue;
      const int c = copies / a / b;
      const double narrowest = std::min({widths[0] * a, widths[1] * b, widths[2] * c});
      if (narrowest <= widest * (1 + 1e-9)) continue;
      widest = narrowest;
      best = {a, b, c};
    }
  return best;
}

}  // namespace tqm::matter
