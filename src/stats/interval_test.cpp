#include "stats/interval.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "base/random.hpp"

namespace tqm::stats {
namespace {

const std::vector<double> kValues = {1, 4, 2, 8, 5, 7, 1.5};

// First-order autoregression with mean 1: neighbours correlate with coefficient r.
std::vector<double> correlated(Random& random, size_t n, double r) {
  std::vector<double> values(n);
  double state = random.normal() / std::sqrt(1 - r * r);
  for (double& value : values) {
    value = 1 + state;
    state = r * state + random.normal();
  }
  return values;
}

TEST(TInterval, EqualsTheTable) {
  const auto interval = t_interval(kValues);
  ASSERT_TRUE(interval.ok());
  EXPECT_NEAR(interval->low, 1.5326108778357845, 1e-10);
  EXPECT_NEAR(interval->high, 6.610246265021358, 1e-10);
  EXPECT_NEAR(interval->estimate, 4.071428571428571, 1e-12);
}

TEST(TInterval, OfPairsIsThatOfTheirDifferences) {
  std::vector<double> a = kValues;
  for (size_t i = 0; i < a.size(); ++i) a[i] += 10 * static_cast<double>(i);
  std::vector<double> b(a.size());
  for (size_t i = 0; i < b.size(); ++i) b[i] = 10 * static_cast<double>(i);
  const auto interval = paired_t_interval(a, b);
  ASSERT_TRUE(interval.ok());
  EXPECT_NEAR(interval->low, 1.5326108778357845, 1e-9);
}

TEST(TInterval, Refusals) {
  const std::vector<double> one = {1};
  EXPECT_EQ(t_interval(one).error().what, "an interval needs at least two values");
  EXPECT_EQ(t_interval(kValues, 1).error().what, "a confidence must lie between 0 and 1");
  EXPECT_EQ(paired_t_interval(kValues, one).error().what, "paired values must be equally many");
  const std::vector<double> broken = {1, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(t_interval(broken).error().message(), "a value is not finite (value 1): look where it came from");
}

TEST(BlockBootstrap, TheSameSeedGivesTheSameInterval) {
  Random random(5);
  const std::vector<double> values = correlated(random, 100, 0.5);
  BootstrapPlan plan;
  const auto a = block_bootstrap_mean(values, plan);
  const auto b = block_bootstrap_mean(values, plan);
  plan.seed = 2;
  const auto c = block_bootstrap_mean(values, plan);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(a->low, b->low);
  EXPECT_EQ(a->high, b->high);
  EXPECT_NE(a->low, c->low);
  EXPECT_LT(a->low, a->estimate);
  EXPECT_GT(a->high, a->estimate);
}

TEST(BlockBootstrap, AgreesWithTWhereValuesAreIndependent) {
  Random random(7);
  std::vector<double> values(400);
  for (double& value : values) value = random.normal();
  const auto t = t_interval(values);
  for (BootstrapKind kind : {BootstrapKind::percentile, BootstrapKind::bca}) {
    BootstrapPlan plan;
    plan.block = 1;
    plan.kind = kind;
    const auto b = block_bootstrap_mean(values, plan);
    ASSERT_TRUE(t.ok() && b.ok());
    EXPECT_NEAR((b->high - b->low) / (t->high - t->low), 1, 0.06);
  }
}

// 95 % intervals of the mean of a correlated sequence: the t interval covers about 74 %, blocks bring it near 95 %.
TEST(BlockBootstrap, CoversTheMeanOfACorrelatedSequence) {
  Random random(11);
  int by_t = 0;
  int by_blocks = 0;
  constexpr int runs = 400;
  for (int run = 0; run < runs; ++run) {
    const std::vector<double> values = correlated(random, 400, 0.6);
    const auto t = t_interval(values);
    BootstrapPlan plan;
    plan.block = 20;
    plan.resamples = 300;
    plan.seed = static_cast<uint64_t>(run);
    const auto b = block_bootstrap_mean(values, plan);
    ASSERT_TRUE(t.ok() && b.ok());
    by_t += t->low < 1 && 1 < t->high;
    by_blocks += b->low < 1 && 1 < b->high;
  }
  EXPECT_LT(by_t, runs * 80 / 100);
  EXPECT_GT(by_blocks, runs * 90 / 100);
  EXPECT_LT(by_blocks, runs * 98 / 100);
}

TEST(BlockBootstrap, TakesAnyStatistic) {
  Random random(3);
  std::vector<double> values(200);
  for (double& value : values) value = std::exp(random.normal());
  const auto interval = block_bootstrap(values,
                                        [](std::span<const double> sample) {
                                          double sum = 0;
                                          for (double v : sample) sum += std::log(v);
                                          return std::exp(sum / static_cast<double>(sample.size()));
                                        },
                                        {});
  ASSERT_TRUE(interval.ok());
  EXPECT_LT(interval->low, 1);
  EXPECT_GT(interval->high, 1);
  EXPECT_LT(interval->high - interval->low, 0.5);
}

TEST(BlockBootstrap, EqualValuesGiveAPoint) {
  const std::vector<double> values(30, 2.5);
  const auto interval = block_bootstrap_mean(values, {});
  ASSERT_TRUE(interval.ok());
  EXPECT_EQ(interval->low, 2.5);
  EXPECT_EQ(interval->high, 2.5);
}

TEST(BlockBootstrap, Refusals) {
  BootstrapPlan plan;
  plan.block = 4;
  EXPECT_EQ(block_bootstrap_mean(kValues, plan).error().what, "a block bootstrap needs at least two blocks");
  plan.block = 1;
  plan.resamples = 10;
  EXPECT_EQ(block_bootstrap_mean(kValues, plan).error().what, "a bootstrap needs at least 100 resamples");
}

}  // namespace
}  // namespace tqm::stats
