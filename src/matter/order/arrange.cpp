#include "matter/order/arrange.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/random.hpp"
#include "matter/order/ewald.hpp"
#include "matter/structure/pairs.hpp"
#include "matter/symmetry/same.hpp"

namespace tqm::matter {
namespace {

constexpr double kHydrogenExclusion = 0.6;         // Å
constexpr double kSameEnergy = 1e-5;               // eV: images of each other are as near in energy
constexpr double kSamePrint = 1e-8;                // relative, of their fingerprints
constexpr size_t kMostEqual = 500;                 // arrangements of one energy that are compared
constexpr double kHottest = 2.0, kColdest = 0.02;  // eV, of the annealing
constexpr double kOverlap = 20;  // eV: what two occupied sites that exclude each other cost while annealing
constexpr size_t kMostNodes = 3'000'000;

struct Neighbour {
  size_t site;
  double distance;
};

class Arranger {
 public:
  Arranger(const Sites& sites, const Counts& counts, const OxidationStates& states, const ArrangeOptions& options)
      : sites_(sites), counts_(counts), states_(states), options_(options), random_(options.seed) {
    const size_t n = sites.positions.size();
    near_.resize(n);
    species_.assign(n, 0);
    Structure s;
    s.cell = sites.cell;
    s.positions = sites.positions;
    s.numbers.assign(n, 1);
    for_each_pair(s, options.exclusion, [&](const Pair& pair) {
      const bool partial = is_partial(pair.i) || is_partial(pair.j);
      if (pair.i == pair.j || !partial) return;  // what is there in full is not ours to judge
      near_[pair.i].push_back({pair.j, pair.distance});
      near_[pair.j].push_back({pair.i, pair.distance});
    });
    of_class_.resize(sites.classes.size());
    for (size_t i = 0; i < n; ++i) {
      of_class_[sites.class_of[i]].push_back(i);
      if (is_partial(i))
        free_.push_back(i);
      else
        species_[i] = sites.classes[sites.class_of[i]].species[0];
    }
    left_ = counts.of_class;
    for (size_t c = 0; c < left_.size(); ++c) {
      int filled = 0;
      for (int count : left_[c]) filled += count;
      empty_left_.push_back(static_cast<int>(of_class_[c].size()) - filled);
    }
  }

  Result<Arranged> run() {
    Arranged result;
    const bool few = could_enumerate();
    if (few) {
      enumerate(0);
      result.complete = !too_many_;
    }
    if (result.complete && found_.empty()) return no_room("no arrangement");
    const EwaldMatrix matrix(sites_.cell, sites_.positions);
    if (result.complete) {
      result.tried = found_.size();
      for (Arrangement& each : found_) {
        each.energy = matrix.energy(charges(each.species));
        if (options_.check_stop) TRY(options_.check_stop());
      }
    } else {
      found_.clear();
      for (int restart = 0; restart < options_.restarts; ++restart) {
        TRY(anneal(matrix));
        if (options_.check_stop) TRY(options_.check_stop());
      }
      result.tried = steps_;
      if (found_.empty()) return no_room("none of the arrangements tried");
    }
    result.best = distinct();
    return result;
  }

 private:
  bool is_partial(size_t site) const { return sites_.classes[sites_.class_of[site]].partial(); }
  int state(int species) const { return species == 0 ? 0 : states_.at(species); }

  Error no_room(std::string_view who) const {
    return {ErrorKind::unsupported,
            fmt::format("{} keeps occupied sites {} Å apart at these occupancies", who, options_.exclusion), "",
            "are two sites of the file meant as one? A smaller --exclusion allows nearer ones"};
  }

  std::vector<double> charges(const std::vector<int>& species) const {
    std::vector<double> q;
    for (int each : species) q.push_back(state(each));
    return q;
  }

  bool excluded(int a, int b, double distance) const {
    if (a == 0 || b == 0) return false;
    return distance < (a == 1 || b == 1 ? kHydrogenExclusion : options_.exclusion);
  }

  // Would the species on this site be too near to another occupied one? How many such there are.
  int conflicts(size_t site, int species) const {
    int count = 0;
    for (const Neighbour& other : near_[site]) count += excluded(species, species_[other.site], other.distance);
    return count;
  }

  // The number of arrangements if nothing excluded anything, as a logarithm: an enumeration of more than 1e12 is not
  // begun.
  bool could_enumerate() const {
    double logarithm = 0;
    for (size_t c = 0; c < of_class_.size(); ++c) {
      if (!sites_.classes[c].partial()) continue;
      logarithm += std::lgamma(static_cast<double>(of_class_[c].size()) + 1) - std::lgamma(empty_left_[c] + 1.0);
      for (int count : left_[c]) logarithm -= std::lgamma(count + 1.0);
    }
    return logarithm < std::log(1e12);
  }

  void enumerate(size_t at) {
    if (too_many_ || ++nodes_ > kMostNodes) {
      too_many_ = true;
      return;
    }
    if (at == free_.size()) {
      if (found_.size() == options_.most_candidates) {
        too_many_ = true;
        return;
      }
      found_.push_back({species_, 0});
      return;
    }
    const size_t site = free_[at], c = sites_.class_of[site];
    const SiteClass& kind = sites_.classes[c];
    for (size_t k = 0; k < kind.species.size(); ++k) {
      if (left_[c][k] == 0 || conflicts(site, kind.species[k]) > 0) continue;
      --left_[c][k];
      species_[site] = kind.species[k];
      enumerate(at + 1);
      species_[site] = 0;
      ++left_[c][k];
    }
    if (empty_left_[c] == 0) return;
    --empty_left_[c];
    enumerate(at + 1);
    ++empty_left_[c];
  }

  void deal_at_random() {
    for (size_t c = 0; c < of_class_.size(); ++c) {
      if (!sites_.classes[c].partial()) continue;
      std::vector<int> hand;
      for (size_t k = 0; k < sites_.classes[c].species.size(); ++k)
        hand.insert(hand.end(), static_cast<size_t>(counts_.of_class[c][k]), sites_.classes[c].species[k]);
      hand.resize(of_class_[c].size(), 0);
      random_.shuffle(hand);
      for (size_t i = 0; i < hand.size(); ++i) species_[of_class_[c][i]] = hand[i];
    }
  }

  // Exchanges within a class, from hot to cold; the temperature falls geometrically. The lowest without overlap and the
  // last one are kept.
  Status anneal(const EwaldMatrix& matrix) {
    deal_at_random();
    std::vector<double> q = charges(species_), potential = matrix.potentials(q);
    double energy = 0;
    long overlaps = 0;
    for (size_t i = 0; i < q.size(); ++i) {
      energy += q[i] * potential[i] / 2;
      overlaps += conflicts(i, species_[i]);
    }
    overlaps /= 2;
    const size_t steps = std::clamp<size_t>(free_.size() * 2000, 20'000, 400'000);
    Arrangement lowest;
    bool any = false;
    for (size_t step = 0; step < steps; ++step) {
      ++steps_;
      const double temperature =
          kHottest * std::pow(kColdest / kHottest, static_cast<double>(step) / static_cast<double>(steps));
      const size_t a = free_[random_.below(free_.size())];
      const std::vector<size_t>& mates = of_class_[sites_.class_of[a]];
      const size_t b = mates[random_.below(mates.size())];
      if (species_[a] == species_[b]) continue;
      const double change = state(species_[b]) - state(species_[a]);
      double cost = change * (potential[a] - potential[b]) +
                    change * change * (matrix(a, a) + matrix(b, b) - 2 * matrix(a, b)) / 2;
      const int before = conflicts(a, species_[a]) + conflicts(b, species_[b]);
      std::swap(species_[a], species_[b]);
      const int more = conflicts(a, species_[a]) + conflicts(b, species_[b]) - before;
      if (random_.uniform() >= std::exp(-(cost + kOverlap * more) / temperature)) {
        std::swap(species_[a], species_[b]);
        continue;
      }
      energy += cost;
      overlaps += more;
      if (change != 0)
        for (size_t i = 0; i < potential.size(); ++i) potential[i] += change * (matrix(i, a) - matrix(i, b));
      if (overlaps == 0 && (!any || energy < lowest.energy)) {
        lowest = {species_, energy};
        any = true;
      }
    }
    if (!any) return {};
    lowest.energy = matrix.energy(charges(lowest.species));
    found_.push_back(lowest);
    if (overlaps == 0) found_.push_back({species_, matrix.energy(charges(species_))});
    return {};
  }

  std::array<double, 4> fingerprint_of(const Arrangement& arrangement) const {
    Structure s;
    s.cell = sites_.cell;
    for (size_t i = 0; i < arrangement.species.size(); ++i) {
      if (arrangement.species[i] == 0) continue;
      s.numbers.push_back(arrangement.species[i]);
      s.positions.push_back(sites_.positions[i]);
    }
    return fingerprint(s);
  }

  // Lowest first; of those that are images of each other, one: the same energy and the same sums over neighbours.
  std::vector<Arrangement> distinct() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Arrangement& a, const Arrangement& b) { return a.energy < b.energy; });
    std::vector<Arrangement> best;
    std::vector<std::array<double, 4>> prints;
    size_t equal = 0;  // compared at this energy
    for (Arrangement& each : found_) {
      if (best.size() == options_.keep) break;
      const bool level = !best.empty() && each.energy - best.back().energy < kSameEnergy;
      equal = level ? equal + 1 : 0;
      if (equal > kMostEqual) continue;
      const std::array<double, 4> print = fingerprint_of(each);
      bool image = false;
      for (size_t i = best.size(); level && !image && i-- > 0 && each.energy - best[i].energy < 2 * kSameEnergy;) {
        image = true;
        for (size_t k = 0; k < print.size(); ++k)
          image = image && std::abs(print[k] - prints[i][k]) < kSamePrint * std::abs(print[k]);
      }
      if (image) continue;
      best.push_back(std::move(each));
      prints.push_back(print);
    }
    return best;
  }

  const Sites& sites_;
  const Counts& counts_;
  const OxidationStates& states_;
  const ArrangeOptions& options_;
  Random random_;
  std::vector<std::vector<Neighbour>> near_;  // sites that may exclude each other
  std::vector<std::vector<size_t>> of_class_;
  std::vector<size_t> free_;  // sites of partial classes
  std::vector<int> species_;  // now
  std::vector<std::vector<int>> left_;
  std::vector<int> empty_left_;
  std::vector<Arrangement> found_;
  size_t nodes_ = 0, steps_ = 0;
  bool too_many_ = false;
};

}  // namespace

Result<Arranged> arrange(const Sites& sites, const Counts& counts, const OxidationStates& states,
                         const ArrangeOptions& options) {
  ASSERT(options.keep > 0 && options.most_candidates > 0 && options.exclusion > 0);
  return Arranger(sites, counts, states, options).run();
}

}  // namespace tqm::matter
