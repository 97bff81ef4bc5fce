#include "stats/walk.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "stats/sample_walk.hpp"

namespace tqm::stats {
namespace {

Diffusion judge(const SampleWalk& plan, uint64_t seed) {
  const auto spectrum = walk_spectrum(sample_walk(plan, seed), 1);
  EXPECT_TRUE(spectrum.ok());
  auto found = diffusion({&*spectrum, 1});
  EXPECT_TRUE(found.ok());
  return *found;
}

struct Tally {
  int held = 0, bounded = 0, seeds = 0;
  std::vector<double> estimates, widths;
};

Tally tally(const SampleWalk& plan, int seeds) {
  Tally t;
  const double truth = plan.coefficient();
  for (int seed = 0; seed < seeds; ++seed) {
    const Diffusion found = judge(plan, 500 + static_cast<uint64_t>(seed));
    t.held += found.coefficient.low <= truth && truth <= found.coefficient.high;
    t.bounded += truth <= found.upper;
    t.estimates.push_back(found.coefficient.estimate / truth);
    t.widths.push_back((found.coefficient.high - found.coefficient.low) / truth);
    ++t.seeds;
  }
  std::sort(t.estimates.begin(), t.estimates.end());
  std::sort(t.widths.begin(), t.widths.end());
  return t;
}

// The cheap form of bench/matter/intervals: of 40 seeds at 95 %, 34 or fewer have a chance of 1 in 100.
TEST(Walk, IntervalsHoldTheTruthOfWalksThatTurnBackOrDont) {
  for (const double jumps : {30.0, 100.0, 1000.0})
    for (const double turn_back : {0.0, 0.5}) {
      const Tally t = tally({.jumps = jumps, .turn_back = turn_back}, 40);
      SCOPED_TRACE(testing::Message() << jumps << " jumps, turning back " << turn_back);
      EXPECT_GE(t.held, 35);
      EXPECT_GE(t.bounded, 35);
      const double middle = t.estimates[20];
      EXPECT_GT(middle, jumps < 50 ? 0.5 : 0.85);
      EXPECT_LT(middle, jumps < 50 ? 2.0 : 1.15);
      const double scatter = t.estimates[38] - t.estimates[1];
      EXPECT_LT(t.widths[20], 2.2 * scatter);
    }
}

TEST(Walk, SpectrumOfAWalkWithNoiseIsAsTheModelSays) {
  SampleWalk plan{.walkers = 400, .points = 101, .jumps = 40000};
  const auto spectrum = walk_spectrum(sample_walk(plan, 1), 1);
  ASSERT_TRUE(spectrum.ok());
  ASSERT_EQ(spectrum->power.size(), 100u);
  EXPECT_EQ(spectrum->walkers, 400);
  for (const size_t q : {1, 10, 50, 100}) {
    const double weight = 2 - 2 * std::cos(std::acos(-1.0) * static_cast<double>(q) / 101);
    const double expected = 2 * plan.coefficient() + weight * 0.09;
    EXPECT_NEAR(spectrum->power[q - 1], expected, 0.2 * expected) << q;  // 4 standard deviations
  }
}

TEST(Walk, FindsJumpsVibrationAndMemory) {
  const Diffusion plain = judge({.jumps = 1000}, 7);
  EXPECT_NEAR(plain.jumps, 1000, 150);
  EXPECT_NEAR(plain.effective, 1000, 200);
  EXPECT_NEAR(plain.vibration, 0.09, 0.03);
  EXPECT_LT(std::abs(plain.memory), 0.25);
  const Diffusion back = judge({.jumps = 1000, .turn_back = 0.5}, 7);
  EXPECT_NEAR(back.jumps, 1000, 200);
  EXPECT_NEAR(back.effective, 333, 100);
  EXPECT_NEAR(back.memory, 2.0 / 3, 0.12);
  EXPECT_GT(back.forgotten_after, 5);  // jumps are 20 apart
  EXPECT_LT(back.forgotten_after, 100);
}

TEST(Walk, WithoutAJumpThereIsAnUpperBound) {
  const Diffusion found = judge({.jumps = 1e-9}, 2);
  EXPECT_LT(found.effective, 1);
  // Garwood's bound of no event is 3.69 jumps; vibration alone hides less than one.
  const double one = 9.0 / (6 * 20 * 1000);
  EXPECT_GT(found.upper, 3.6 * one);
  EXPECT_LT(found.upper, 8 * one);
}

TEST(Walk, RunsArePooled) {
  std::vector<WalkSpectrum> runs;
  const SampleWalk plan{.jumps = 200};
  for (uint64_t seed = 1; seed <= 4; ++seed) runs.push_back(walk_spectrum(sample_walk(plan, seed), 1).operator*());
  const auto one = diffusion({runs.data(), 1});
  const auto four = diffusion(runs);
  ASSERT_TRUE(one.ok() && four.ok());
  EXPECT_NEAR(four->jumps, 800, 120);
  EXPECT_LT(four->coefficient.high - four->coefficient.low, 0.75 * (one->coefficient.high - one->coefficient.low));
  EXPECT_GT(plan.coefficient(), four->coefficient.low);
  EXPECT_LT(plan.coefficient(), four->coefficient.high);
}

TEST(Walk, WalkersThatMoveTogetherCountAsFewer) {
  const SampleWalk plan{.walkers = 5, .jumps = 300};
  std::vector<std::vector<double>> lists = sample_walk(plan, 4);
  const auto alone = walk_spectrum(lists, 1);
  for (size_t i = 0; i < 15; ++i)
    for (int copy = 0; copy < 7; ++copy) lists.push_back(lists[i]);
  const auto together = walk_spectrum(lists, 1);
  ASSERT_TRUE(alone.ok() && together.ok());
  const auto few = diffusion({&*alone, 1});
  const auto many = diffusion({&*together, 1});
  ASSERT_TRUE(few.ok() && many.ok());
  EXPECT_EQ(few->dispersion, 1);
  EXPECT_NEAR(many->dispersion, 8, 3);
  EXPECT_GT(many->coefficient.high / many->coefficient.low, 0.8 * few->coefficient.high / few->coefficient.low);
}

TEST(Walk, SameInputSameBytes) {
  const SampleWalk plan{.jumps = 50};
  EXPECT_EQ(judge(plan, 9).coefficient.high, judge(plan, 9).coefficient.high);
}

TEST(Walk, Refusals) {
  const std::vector<std::vector<double>> brief(3, std::vector<double>(5, 0.0));
  EXPECT_EQ(walk_spectrum(brief, 1).error().what, "a walk needs at least 9 points");
  const std::vector<std::vector<double>> still(3, std::vector<double>(50, 1.0));
  const auto spectrum = walk_spectrum(still, 1);
  EXPECT_EQ(diffusion({&*spectrum, 1}).error().what, "nothing moves in a walk");
  std::vector<std::vector<double>> broken = still;
  broken[1][7] = std::nan("");
  EXPECT_EQ(walk_spectrum(broken, 1).error().what, "a point of a walk is not finite");
  broken = still;
  broken[2].pop_back();
  EXPECT_EQ(walk_spectrum(broken, 1).error().what, "coordinates of a walk must be equally long");
  EXPECT_EQ(diffusion({}).error().what, "no run of a walk to judge");
  const WalkSpectrum few{.step = 1, .walkers = 1, .power = {1, 1}};
  EXPECT_EQ(diffusion({&few, 1}).error().what, "a walk needs at least 8 increments");
}

}  // namespace
}  // namespace tqm::stats
