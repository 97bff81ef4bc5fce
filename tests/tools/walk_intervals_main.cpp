// walk_intervals SEEDS: for bench/matter/intervals. Synthetic walks judged as torquetum matter transport does; prints
// JSON.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "base/json.hpp"
#include "base/result.hpp"
#include "matter/analyze/arrhenius.hpp"
#include "stats/sample_walk.hpp"

namespace {

using namespace tqm;
using namespace tqm::matter;

constexpr double kVolume = 960, kBox = 10;
const TransportOptions kOptions{};

// The walkers as a track on a framework that stands still.
Track track_of(const stats::SampleWalk& plan, uint64_t seed) {
  Track track;
  track.name = "seed " + std::to_string(seed);
  track.step_fs = 1000;
  track.mobile = stats::sample_walk(plan, seed);
  track.framework[8] = Coordinates(3, std::vector<double>(plan.points));
  track.volume = kVolume;
  track.narrowest = kBox;
  return track;
}

struct Judged {
  Transport found;
  double truth = 0;  // S/cm
};

Result<Judged> judge(const stats::SampleWalk& plan, uint64_t seed, double temperature) {
  const Track track = track_of(plan, seed);
  Judged judged;
  judged.found = TRY(transport({&track, 1}, temperature, kOptions));
  judged.truth = conductivity(static_cast<double>(plan.walkers), kVolume, 1, temperature, plan.coefficient() / 1000);
  return judged;
}

double spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double last = static_cast<double>(values.size() - 1);
  return values[static_cast<size_t>(0.975 * last + 0.5)] - values[static_cast<size_t>(0.025 * last + 0.5)];
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Tally {
  int64_t seeds = 0, held = 0, bounded = 0, given = 0, given_held = 0, bounds = 0, bounds_held = 0, refused = 0;
  std::vector<double> estimates, widths;
  void add(const stats::Interval& interval, double upper, Standing standing, double truth) {
    const bool holds = interval.low <= truth && truth <= interval.high;
    ++seeds;
    held += holds;
    bounded += truth <= upper;
    refused += standing == Standing::refused;
    if (standing == Standing::upper_bound) {
      ++bounds;
      bounds_held += truth <= upper;
    } else if (standing != Standing::refused) {
      ++given;
      given_held += holds;
    }
    estimates.push_back(interval.estimate / truth);
    widths.push_back((interval.high - interval.low) / truth);
  }
  Json json() const {
    return {{"seeds", seeds},
            {"held", held},
            {"upper_held", bounded},
            {"given", given},
            {"given_held", given_held},
            {"bounds", bounds},
            {"bounds_held", bounds_held},
            {"refused", refused},
            {"median", median(estimates)},
            {"median_width", median(widths)},
            {"scatter", spread(estimates)}};
  }
};

Result<Json> run(int64_t seeds) {
  Json rows = Json::array(), lines = Json::array();
  for (const double turn_back : {0.0, 0.5}) {
    for (const double jumps : {3.0, 10.0, 30.0, 100.0, 1000.0}) {
      Tally tally;
      const stats::SampleWalk plan{.jumps = jumps, .turn_back = turn_back};
      for (int64_t seed = 0; seed < seeds; ++seed) {
        const Judged j = TRY(judge(plan, 7'000'000 + static_cast<uint64_t>(seed), 700));
        tally.add(j.found.conductivity, j.found.conductivity_upper, j.found.standing, j.truth);
      }
      Json row = tally.json();
      row.update({{"jumps", jumps}, {"turn_back", turn_back}});
      rows.push_back(row);
    }
    Tally tally;
    constexpr double activation_ev = 0.25;
    for (int64_t seed = 0; seed < seeds; ++seed) {
      std::vector<ArrheniusPoint> points;
      double truth = 0;
      for (const double temperature : {600.0, 700.0, 850.0, 1000.0}) {
        const double jumps = 1000 * std::exp(-activation_ev / kBoltzmann * (1 / temperature - 1e-3));
        const Judged j =
            TRY(judge({.jumps = jumps, .turn_back = turn_back},
                      static_cast<uint64_t>(seed) * 10'000 + static_cast<uint64_t>(temperature), temperature));
        points.push_back(point_of(j.found));
        truth = j.truth * temperature / 300 * std::exp(-activation_ev / kBoltzmann * (1 / 300.0 - 1 / temperature));
      }
      const Arrhenius a = TRY(arrhenius(points, 300));
      if (a.line) tally.add(a.conductivity, a.conductivity.high, a.standing, truth);
    }
    Json row = tally.json();
    row["turn_back"] = turn_back;
    lines.push_back(row);
  }
  return Json{{"walks", rows}, {"arrhenius", lines}};
}

}  // namespace

int main(int argc, char** argv) {
  const auto found = run(argc > 1 ? std::atoll(argv[1]) : 500);
  if (!found) {
    std::cerr << found.error().message() << "\n";
    return 1;
  }
  std::cout << dump_json(*found) << "\n";
}
