// Expected values: SciPy's binomial, and Tango's interval by maximising the constrained likelihood numerically.
#include "stats/proportion.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace tqm::stats {
namespace {

TEST(McNemar, ExactAndMidP) {
  const auto test = mcnemar({20, 10, 3, 7});
  ASSERT_TRUE(test.ok());
  EXPECT_NEAR(test->exact, 0.09228515625, 1e-12);
  EXPECT_NEAR(test->mid_p, 0.05737304687500002, 1e-12);
}

TEST(McNemar, EqualOrNoDiscordantPairs) {
  EXPECT_EQ(mcnemar({5, 0, 0, 5})->exact, 1);
  const auto equal = mcnemar({5, 4, 4, 5});
  EXPECT_EQ(equal->exact, 1);
  EXPECT_NEAR(equal->mid_p, 1 - 0.2734375 / 2, 1e-12);
}

TEST(PairedDifference, TangosInterval) {
  const auto few = paired_difference({43, 0, 1, 0});
  ASSERT_TRUE(few.ok());
  EXPECT_NEAR(few->estimate, -1.0 / 44, 1e-12);
  EXPECT_NEAR(few->low, -0.11807710, 1e-7);
  EXPECT_NEAR(few->high, 0.05939323, 1e-7);
  const auto many = paired_difference({100, 25, 10, 65});
  EXPECT_NEAR(many->low, 0.01791201, 1e-7);
  EXPECT_NEAR(many->high, 0.13551459, 1e-7);
}

TEST(PairedDifference, NoDiscordantPairsStillLeaveDoubt) {
  const auto interval = paired_difference({54, 0, 0, 0});
  ASSERT_TRUE(interval.ok());
  EXPECT_NEAR(interval->low, -0.0664136, 1e-6);
  EXPECT_NEAR(interval->high, 0.0664136, 1e-6);
}

TEST(PairedDifference, AllDiscordantReachesTheEdge) {
  const auto interval = paired_difference({0, 12, 0, 0});
  ASSERT_TRUE(interval.ok());
  EXPECT_EQ(interval->estimate, 1);
  EXPECT_EQ(interval->high, 1);
  EXPECT_LT(interval->low, 1);
}

// 95 % intervals at 3 % against 1 % of discordant answers among 200.
TEST(PairedDifference, CoversTheTrueDifference) {
  Random random(23);
  int covered = 0;
  constexpr int runs = 3000;
  for (int run = 0; run < runs; ++run) {
    PairedCounts counts;
    for (int i = 0; i < 200; ++i) {
      const double u = random.uniform();
      ++(u < 0.03 ? counts.only_first : u < 0.04 ? counts.only_second : counts.both);
    }
    const auto interval = paired_difference(counts);
    ASSERT_TRUE(interval.ok());
    covered += interval->low <= 0.02 && 0.02 <= interval->high;
  }
  EXPECT_GT(covered, runs * 930 / 1000);
  EXPECT_LT(covered, runs * 975 / 1000);
}

TEST(PairedDifference, Refusals) {
  EXPECT_EQ(paired_difference({0, 0, 0, 0}).error().what, "no questions were answered");
  EXPECT_EQ(mcnemar({1, -1, 0, 0}).error().what, "a count of answers is negative");
  EXPECT_EQ(paired_difference({1, 1, 1, 1}, 0).error().what, "a confidence must lie between 0 and 1");
}

}  // namespace
}  // namespace tqm::stats
