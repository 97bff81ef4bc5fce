// Boundaries: checked against an independent integration, whose first column equals the tables of Lan and DeMets. Error
// rates: seeded simulations, large enough that a wrong boundary fails them.
#include "stats/sequential.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

#include "base/random.hpp"
#include "stats/distribution.hpp"

namespace tqm::stats {
namespace {

void expect_boundaries(const std::vector<double>& fractions, double alpha, SpendingKind kind,
                       const std::vector<double>& expected) {
  const std::vector<double> found = sequential_boundaries(fractions, alpha, kind);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-7) << "look " << i;
}

TEST(SequentialBoundaries, OBrienFleming) {
  expect_boundaries({0.2, 0.4, 0.6, 0.8, 1}, 0.025, SpendingKind::obrien_fleming,
                    {4.876884948790762, 3.35701192157465, 2.680280064545001, 2.2898167677119656, 2.031032043310072});
  expect_boundaries({0.1, 0.25, 0.3, 0.7, 1}, 0.05, SpendingKind::obrien_fleming,
                    {6.087892874588686, 3.749552483835245, 3.416044647242625, 2.0742339655410484, 1.702707671553841});
}

TEST(SequentialBoundaries, Pocock) {
  expect_boundaries({0.2, 0.4, 0.6, 0.8, 1}, 0.025, SpendingKind::pocock,
                    {2.4379766880500116, 2.426813858150107, 2.4101938402713103, 2.3966454006487217, 2.385984571622539});
}

TEST(SequentialBoundaries, ManyLooks) {
  std::vector<double> fractions;
  for (int i = 1; i <= 20; ++i) fractions.push_back(i / 20.0);
  const std::vector<double> found = sequential_boundaries(fractions, 0.05, SpendingKind::obrien_fleming);
  EXPECT_NEAR(found[17], 1.9400948587357576, 1e-7);
  EXPECT_NEAR(found[18], 1.8875502787302652, 1e-7);
  EXPECT_NEAR(found[19], 1.8390584616861703, 1e-7);
}

TEST(SequentialBoundaries, OneLookIsTheOrdinaryTest) {
  expect_boundaries({1}, 0.05, SpendingKind::obrien_fleming, {normal_tail_quantile(0.05)});
}

TEST(SequentialBoundaries, NothingToSpendIsNoBoundary) {
  const std::vector<double> found =
      sequential_boundaries(std::vector<double>{0.01, 0.5, 1}, 0.05, SpendingKind::obrien_fleming);
  EXPECT_TRUE(std::isinf(found[0]));
  EXPECT_NEAR(found[1], 2.5380, 1e-3);
}

// Counts of accept, reject and undecided over seeded runs; draw gives number i of a run.
struct Outcomes {
  int accepted = 0;
  int rejected = 0;
  int undecided = 0;
  int decided_by_300 = 0;
};

Outcomes simulate(const SequentialTest& test, int runs, uint64_t seed, const std::function<double(Random&)>& draw) {
  Outcomes outcomes;
  Random random(seed);
  std::vector<double> values;
  for (int run = 0; run < runs; ++run) {
    values.clear();
    SequentialLook look;
    // As a caller would: a hundred numbers more as long as nothing is decided.
    while (look.decision == Decision::go_on) {
      const auto wanted = std::min<size_t>(values.size() + 100, static_cast<size_t>(test.plan().cap));
      while (values.size() < wanted) values.push_back(draw(random));
      look = *test.look(values);
    }
    outcomes.accepted += look.decision == Decision::accept;
    outcomes.rejected += look.decision == Decision::reject;
    outcomes.undecided += look.decision == Decision::undecided;
    outcomes.decided_by_300 += look.decision != Decision::undecided && look.count <= 300;
  }
  return outcomes;
}

const SequentialTest& usual() {
  static const SequentialTest test = SequentialTest::create({}).take();
  return test;
}

TEST(SequentialTest, MeanZeroErrsAsOftenAsPromisedOnEitherSide) {
  const Outcomes o = simulate(usual(), 4000, 1, [](Random& r) { return r.normal(); });
  EXPECT_NEAR(o.accepted / 4000.0, 0.05, 0.010);
  EXPECT_NEAR(o.rejected / 4000.0, 0.05, 0.010);
}

TEST(SequentialTest, PocockKeepsItsLevelToo) {
  SequentialPlan plan;
  plan.kind = SpendingKind::pocock;
  const SequentialTest test = SequentialTest::create(plan).take();
  const Outcomes o = simulate(test, 4000, 2, [](Random& r) { return r.normal(); });
  EXPECT_NEAR(o.accepted / 4000.0, 0.05, 0.012);
  EXPECT_NEAR(o.rejected / 4000.0, 0.05, 0.012);
}

TEST(SequentialTest, DividedAlphaErrsLess) {
  SequentialPlan plan;
  plan.alpha = 0.05 / 3;
  plan.cap = 300;
  const SequentialTest test = SequentialTest::create(plan).take();
  const Outcomes o = simulate(test, 8000, 3, [](Random& r) { return r.normal(); });
  EXPECT_NEAR(o.accepted / 8000.0, 0.05 / 3, 0.005);
}

// exp(0.75 z) has skewness 3.3: Student's bound alone would accept 7.4 % of means of exactly 0 (measured over 30,000
// runs; 5.4 % with Hall's), and at exp(z), skewness 6.2, 9.5 % (6.1 %).
TEST(SequentialTest, SkewedNumbersKeepTheLevelOnBothSides) {
  const double mean = std::exp(0.75 * 0.75 / 2);
  const Outcomes right = simulate(usual(), 6000, 4, [&](Random& r) { return std::exp(0.75 * r.normal()) - mean; });
  EXPECT_LE(right.accepted / 6000.0, 0.06);
  EXPECT_LE(right.rejected / 6000.0, 0.06);
  const Outcomes left = simulate(usual(), 6000, 5, [&](Random& r) { return mean - std::exp(0.75 * r.normal()); });
  EXPECT_LE(left.accepted / 6000.0, 0.06);
  EXPECT_LE(left.rejected / 6000.0, 0.06);
}

TEST(SequentialTest, HeavyTailsKeepTheLevel) {
  // Student's t with 3 degrees: variance 3, no fourth moment.
  const Outcomes o = simulate(usual(), 3000, 6, [](Random& r) {
    const double a = r.normal(), b = r.normal(), c = r.normal();
    return r.normal() / std::sqrt((a * a + b * b + c * c) / 3);
  });
  EXPECT_LE(o.accepted / 3000.0, 0.06);
  EXPECT_LE(o.rejected / 3000.0, 0.06);
}

// Windows such as a 4-bit model gives: the difference has standard deviation 0.108 nats a window of 256 tokens around a
// threshold of 3 % of 3.36 nats, some windows far worse than most, the original itself varying by 0.4 between windows.
// A run draws with replacement from 400 such windows, shifted so that their true loss is the wanted share of the
// threshold.
TEST(SequentialTest, OperatingCharacteristicsOnResampledWindows) {
  constexpr double threshold = 0.03;
  Random random(7);
  std::vector<double> original(400);
  std::vector<double> difference(400);
  double sum_original = 0;
  double sum_difference = 0;
  for (size_t i = 0; i < original.size(); ++i) {
    original[i] = 3.36 + 0.4 * random.normal();
    const double z = random.normal();
    difference[i] = 0.108 * (0.95 * z + 0.22 * (z * z - 1));
    sum_original += original[i];
    sum_difference += difference[i];
  }
  auto outcomes = [&](double share, uint64_t seed) {
    const double shift = (share * threshold * sum_original - sum_difference) / 400;
    std::vector<double> d(400);
    for (size_t i = 0; i < d.size(); ++i) d[i] = difference[i] + shift - threshold * original[i];
    return simulate(usual(), 2000, seed, [&](Random& r) { return d[r.below(400)]; });
  };
  const Outcomes at = outcomes(1, 8);
  EXPECT_LE(at.accepted, 2000 * 6 / 100);
  EXPECT_GE(at.accepted, 2000 * 3 / 100);
  const Outcomes half = outcomes(0.5, 9);
  EXPECT_EQ(half.accepted + half.undecided, 2000);
  EXPECT_GE(half.accepted, 2000 * 95 / 100);
  EXPECT_GE(half.decided_by_300, 2000 * 95 / 100);
  const Outcomes above = outcomes(1.5, 10);
  EXPECT_GE(above.rejected, 2000 * 95 / 100);
  EXPECT_EQ(above.accepted, 0);
}

// The repeated interval holds the mean although the look at which it is read was chosen by the numbers themselves.
TEST(SequentialTest, TheIntervalHoldsTheMeanWhereTheTestStops) {
  Random random(12);
  constexpr int runs = 2000;
  for (double mean : {-0.3, 0.1}) {
    int missed_above = 0;
    int missed_below = 0;
    std::vector<double> values(1000);
    for (int run = 0; run < runs; ++run) {
      for (double& value : values) value = random.normal() + mean;
      const SequentialLook look = *usual().look(values);
      missed_above += look.low > mean;
      missed_below += look.high < mean;
    }
    EXPECT_LE(missed_above, runs * 60 / 1000);
    EXPECT_LE(missed_below, runs * 60 / 1000);
  }
}

TEST(SequentialTest, TheAnswerDoesNotDependOnHowOftenItIsAsked) {
  Random random(13);
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(random.normal() - 0.12);
  const SequentialLook at_once = *usual().look(values);
  SequentialLook step_by_step;
  for (size_t n = 1; n <= values.size() && step_by_step.decision == Decision::go_on; ++n)
    step_by_step = *usual().look({values.data(), n});
  EXPECT_EQ(at_once.decision, Decision::accept);
  EXPECT_EQ(step_by_step.decision, at_once.decision);
  EXPECT_EQ(step_by_step.count, at_once.count);
  EXPECT_EQ(step_by_step.high, at_once.high);
  EXPECT_LT(at_once.count, 1000);
}

TEST(SequentialTest, LooksComeWhenPlanned) {
  SequentialPlan plan;
  plan.cap = 85;
  const SequentialTest test = SequentialTest::create(plan).take();
  EXPECT_EQ(test.counts(), (std::vector<int64_t>{50, 60, 70, 80, 85}));
  EXPECT_EQ(test.next_look(0), 50);
  EXPECT_EQ(test.next_look(50), 60);
  EXPECT_EQ(test.next_look(81), 85);
  EXPECT_EQ(test.next_look(85), 0);
  std::vector<double> values(49, -1.0);
  const SequentialLook early = *test.look(values);
  EXPECT_EQ(early.decision, Decision::go_on);
  EXPECT_EQ(early.looks, 0);
  EXPECT_TRUE(std::isinf(early.high));
}

TEST(SequentialTest, EqualNumbersDecideAtTheFirstLook) {
  const std::vector<double> below(60, -0.1);
  EXPECT_EQ(usual().look(below)->decision, Decision::accept);
  EXPECT_EQ(usual().look(below)->count, 50);
  const std::vector<double> above(60, 0.1);
  EXPECT_EQ(usual().look(above)->decision, Decision::reject);
  const std::vector<double> zero(1000, 0.0);
  EXPECT_EQ(usual().look(zero)->decision, Decision::undecided);
}

TEST(SequentialTest, WhatComesAfterTheCapIsIgnored) {
  SequentialPlan plan;
  plan.cap = 60;
  const SequentialTest test = SequentialTest::create(plan).take();
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) values.push_back(i % 2 == 0 ? 1 : -1);
  EXPECT_EQ(test.look(values)->decision, Decision::undecided);
  for (int i = 0; i < 500; ++i) values.push_back(-1);
  EXPECT_EQ(test.look(values)->decision, Decision::undecided);
  EXPECT_EQ(test.look(values)->count, 60);
}

TEST(SequentialTest, Refusals) {
  auto refusal = [](SequentialPlan plan) { return SequentialTest::create(plan).error().message(); };
  SequentialPlan plan;
  plan.first_look = 5;
  EXPECT_EQ(refusal(plan), "the first look of a sequential test must have at least 20 numbers (5): 50 is usual");
  plan = {};
  plan.cap = 30;
  EXPECT_EQ(
      refusal(plan),
      "a sequential test must be allowed at least as many numbers as its first look needs (30): give at least 50");
  plan = {};
  plan.look_every = 0;
  EXPECT_EQ(refusal(plan), "the numbers between two looks must be at least 1 (0): 10 is usual");
  plan.look_every = 1;
  plan.cap = 5000;
  EXPECT_EQ(refusal(plan), "a sequential test may take at most 1000 looks (4950): look less often");
  plan = {};
  plan.alpha = 0.7;
  EXPECT_EQ(refusal(plan), "alpha must lie between 1e-6 and 0.4 (0.700000): 0.05 is usual");
  std::vector<double> values(60, 1.0);
  values[3] = std::nan("");
  EXPECT_EQ(usual().look(values).error().message(),
            "a number to be tested is not finite (number 3): look where it came from");
}

TEST(SequentialTest, DecisionsHaveNames) {
  EXPECT_EQ(name(Decision::go_on), "go on");
  EXPECT_EQ(name(Decision::accept), "accept");
  EXPECT_EQ(name(Decision::reject), "reject");
  EXPECT_EQ(name(Decision::undecided), "undecided");
}

}  // namespace
}  // namespace tqm::stats
