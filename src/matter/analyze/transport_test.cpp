#include "matter/analyze/transport.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "matter/analyze/arrhenius.hpp"
#include "matter/structure/units.hpp"
#include "stats/sample_walk.hpp"

namespace tqm::matter {
namespace {

Track track_of(const stats::SampleWalk& plan, uint64_t seed) {
  Track track;
  track.name = "walk";
  track.step_fs = 1000;
  track.mobile = stats::sample_walk(plan, seed);
  track.framework[8] = stats::sample_walk({.walkers = 4, .points = plan.points, .jumps = 1e-9, .vibration = 0.1}, seed);
  track.volume = 960;
  track.narrowest = 9;
  return track;
}

Transport judge(const Track& track, double temperature = 700) {
  auto found = transport({&track, 1}, temperature, {});
  EXPECT_TRUE(found.ok());
  return *found;
}

TEST(Transport, NernstEinsteinOfLgps) {
  // 20 Li in 960 Å³ at 300 K: 12 mS/cm stand for 9.3e-8 cm²/s.
  EXPECT_NEAR(conductivity(20, 960, 1, 300, 9.3e-8 / kSquareCentimetresPerSecond), 0.012, 1e-5);
  EXPECT_NEAR(conductivity(20, 960, 2, 300, 1), 4 * conductivity(20, 960, 1, 300, 1), 1e-9);
}

TEST(Transport, HowManyJumpsDecidesWhatIsSaid) {
  const Transport many = judge(track_of({.jumps = 1000}, 1));
  EXPECT_EQ(many.standing, Standing::value) << (many.reasons.empty() ? "" : many.reasons[0]);
  EXPECT_NEAR(many.log_slope, 1, 0.25);
  ASSERT_TRUE(many.haven.has_value());
  EXPECT_LT(many.haven->low, 1);
  EXPECT_GT(many.haven->high, 1);
  EXPECT_GT(many.jumps.count, 500);
  EXPECT_FALSE(many.green_kubo_conductivity.has_value());

  const Transport some = judge(track_of({.jumps = 60}, 1));
  EXPECT_EQ(some.standing, Standing::flagged);
  ASSERT_EQ(some.reasons.size(), 1u);
  EXPECT_NE(some.reasons[0].find("effective jumps, fewer than 100"), std::string::npos);

  const stats::SampleWalk few{.jumps = 8};
  const Transport bound = judge(track_of(few, 1));
  EXPECT_EQ(bound.standing, Standing::upper_bound);
  EXPECT_GT(bound.conductivity_upper, conductivity(20, 960, 1, 700, few.coefficient() / 1000));
}

TEST(Transport, AFrameworkThatMeltsIsRefusedAndASoftOneFlagged) {
  Track melted = track_of({.jumps = 1000}, 2);
  melted.framework[8] = stats::sample_walk({.walkers = 4, .jumps = 200}, 8);
  const Transport refused = judge(melted);
  EXPECT_EQ(refused.standing, Standing::refused);
  EXPECT_EQ(refused.reasons.at(0).substr(0, 28), "the framework melts: O has g");

  Track turning = track_of({.jumps = 1000}, 2);
  turning.framework[16] = stats::sample_walk({.walkers = 4, .jumps = 1e-9, .vibration = 1.2}, 8);
  const Transport flagged = judge(turning);
  EXPECT_EQ(flagged.standing, Standing::flagged);
  EXPECT_EQ(flagged.reasons.at(0).substr(0, 28), "the framework is soft: S has");
}

TEST(Transport, DriftingIonsAreNotDiffusive) {
  Track track = track_of({.jumps = 1000}, 3);
  for (size_t i = 0; i < track.mobile.size(); ++i)
    for (size_t t = 0; t < track.points(); ++t)
      track.mobile[i][t] += 0.1 * static_cast<double>(t) * (i % 2 == 0 ? 1 : -1);
  const Transport found = judge(track);
  EXPECT_EQ(found.standing, Standing::refused);
  EXPECT_EQ(found.reasons.at(0).substr(0, 50), "no diffusive regime: the displacement grows as t^1");
}

TEST(Transport, IonsThatRattleInCagesConductNothing) {
  // Two sites 2 Å apart, and no way out: much motion, but only a bound.
  Track track = track_of({.jumps = 1e-9}, 4);
  const Coordinates hops = stats::sample_walk({.jumps = 20000, .turn_back = 1, .jump = 2, .vibration = 0.2}, 9);
  track.mobile = hops;
  const Transport found = judge(track);
  EXPECT_EQ(found.standing, Standing::upper_bound) << found.self.effective;
}

TEST(Transport, ARunTooShortForAJumpIsRefused) {
  // 800 ions that got 0.8 Å far each spread like 60 jumps would, but none of them has jumped.
  Track track = track_of({.points = 201, .jumps = 1e-9}, 4);
  track.mobile = stats::sample_walk({.walkers = 800, .points = 201, .jumps = 14000, .jump = 0.2, .vibration = 0.01}, 9);
  const Transport found = judge(track);
  EXPECT_EQ(found.standing, Standing::refused);
  EXPECT_EQ(found.reasons.at(0).substr(0, 49), "no diffusive regime: the spread would be that of ");
}

TEST(Transport, ANarrowCellAndHalvesThatDisagreeAreFlagged) {
  Track track = track_of({.jumps = 1000}, 5);
  track.narrowest = 7.1;
  EXPECT_EQ(judge(track).reasons, std::vector<std::string>{"the cell is 7.1 Å wide, less than 8"});
  track = track_of({.jumps = 2000}, 5);
  const Coordinates still = stats::sample_walk({.jumps = 1e-9}, 6);
  for (size_t i = 0; i < track.mobile.size(); ++i)
    for (size_t t = 500; t < track.points(); ++t) track.mobile[i][t] = track.mobile[i][499] + still[i][t];
  const Transport halves = judge(track);
  EXPECT_EQ(halves.standing, Standing::flagged);
  EXPECT_EQ(halves.reasons.at(0), "the halves of the run disagree: not in equilibrium");
}

TEST(Transport, SeedsArePooledAndOtherCellsRefused) {
  std::vector<Track> runs;
  for (uint64_t seed = 1; seed <= 3; ++seed) runs.push_back(track_of({.jumps = 60}, seed));
  const auto pooled = transport(runs, 700, {});
  ASSERT_TRUE(pooled.ok());
  EXPECT_EQ(pooled->standing, Standing::value);
  EXPECT_NEAR(pooled->simulated_ps, 3000, 1e-9);
  runs[1].volume = 2000;
  EXPECT_EQ(transport(runs, 700, {}).error().what, "runs at 700 K are not of the same cell");
}

TEST(Transport, GreenKuboFromDenseVelocities) {
  Track track = track_of({.jumps = 1000}, 6);
  Random random(3);
  track.current_step_fs = 10;
  track.current.resize(100'000);
  for (Vec3& j : track.current) j = {random.normal(), random.normal(), random.normal()};
  const Transport found = judge(track);
  ASSERT_TRUE(found.green_kubo_conductivity.has_value());
  // White noise: half a step of the square is all that the trapezoidal rule sees.
  const double expected = conductivity(20, 960, 1, 700, 0.5 * 10 / 20);
  EXPECT_NEAR(*found.green_kubo_conductivity, expected, 0.5 * expected);
}

ArrheniusPoint point(double temperature, double activation, double error, double shift = 0) {
  const double sigma = std::exp(-activation / (kBoltzmann * temperature) + shift) * 1000 / temperature;
  return {temperature, Standing::value, {sigma, sigma * std::exp(-1.96 * error), sigma * std::exp(1.96 * error)}, 0};
}

TEST(Arrhenius, TheLineIsCarriedOnWithItsError) {
  const std::vector<ArrheniusPoint> points = {point(600, 0.25, 0.1), point(800, 0.25, 0.1), point(1000, 0.25, 0.1)};
  const auto a = arrhenius(points, 300);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(a->standing, Standing::value);
  EXPECT_NEAR(a->activation_ev.estimate, 0.25, 1e-9);
  EXPECT_NEAR(a->activation_ev.high - a->activation_ev.low, 2 * 1.96 * 0.0181, 1e-3);
  const double truth = std::exp(-0.25 / (kBoltzmann * 300)) * 1000 / 300;
  EXPECT_NEAR(a->conductivity.estimate, truth, 1e-9 * truth);
  // ln σ at 300 K has an error of 0.42: (1/300 - mean of 1/T) reaches far beyond the points.
  EXPECT_NEAR(std::log(a->conductivity.high / truth), 1.96 * 0.42, 0.05);
}

TEST(Arrhenius, PointsOffTheLineWidenIt) {
  const std::vector<ArrheniusPoint> points = {point(600, 0.25, 0.02), point(700, 0.25, 0.02, 0.3),
                                              point(850, 0.25, 0.02, -0.3), point(1000, 0.25, 0.02)};
  const auto a = arrhenius(points, 300);
  ASSERT_TRUE(a.ok());
  EXPECT_GT(a->stretch, 5);
  EXPECT_EQ(a->standing, Standing::flagged);
  EXPECT_NE(a->reasons.at(0).find("scatter"), std::string::npos);
}

TEST(Arrhenius, WhatMayBeSaidFromWhat) {
  std::vector<ArrheniusPoint> points = {point(600, 0.25, 0.1), point(1000, 0.25, 0.1)};
  EXPECT_EQ(arrhenius(points, 300)->reasons, std::vector<std::string>{"2 temperatures with values, fewer than 3"});
  points.push_back(point(800, 0.25, 0.1));
  points[2].standing = Standing::flagged;
  EXPECT_EQ(arrhenius(points, 300)->reasons, std::vector<std::string>{"a temperature is flagged"});
  points[2].standing = Standing::refused;
  EXPECT_EQ(arrhenius(points, 300)->reasons.size(), 2u);

  for (ArrheniusPoint& each : points) {
    each.standing = Standing::upper_bound;
    each.upper = 1e-3 * each.temperature;
  }
  const auto bound = arrhenius(points, 300);
  EXPECT_EQ(bound->standing, Standing::upper_bound);
  EXPECT_NEAR(bound->upper, 0.6 * 600 / 300, 1e-12);
  EXPECT_FALSE(bound->line.has_value());

  points.resize(1);
  points[0].standing = Standing::value;
  const auto none = arrhenius(points, 300);
  EXPECT_EQ(none->standing, Standing::refused);
  EXPECT_EQ(none->reasons, std::vector<std::string>{"1 temperatures with values; two make a line"});
}

TEST(Arrhenius, IntervalsAt300KHoldTheTruthOfSyntheticWalks) {
  int held = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<ArrheniusPoint> points;
    double truth = 0;
    for (const double temperature : {600.0, 750.0, 1000.0}) {
      const stats::SampleWalk plan{.jumps = 1000 * std::exp(-0.25 / kBoltzmann * (1 / temperature - 1e-3))};
      const Track track = track_of(plan, 100 * seed + static_cast<uint64_t>(temperature));
      const Transport found = judge(track, temperature);
      points.push_back(point_of(found));
      truth = conductivity(20, 960, 1, temperature, plan.coefficient() / 1000) * temperature / 300 *
              std::exp(-0.25 / kBoltzmann * (1 / 300.0 - 1 / temperature));
    }
    const auto a = arrhenius(points, 300);
    ASSERT_TRUE(a.ok() && a->line.has_value());
    held += a->conductivity.low <= truth && truth <= a->conductivity.high;
  }
  EXPECT_GE(held, 8);
}

}  // namespace
}  // namespace tqm::matter
