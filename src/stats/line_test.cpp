// Expected values: the normal equations solved by NumPy.
#include "stats/line.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "base/random.hpp"

namespace tqm::stats {
namespace {

const std::vector<double> kX = {1, 2, 3.5, 5};
const std::vector<double> kY = {2.1, 3.9, 7.2, 9.7};
const std::vector<double> kError = {0.1, 0.2, 0.2, 0.4};

TEST(Line, WeightedByErrors) {
  const auto line = fit_line(kX, kY, kError);
  ASSERT_TRUE(line.ok());
  EXPECT_NEAR(line->slope, 1.97428215, 1e-8);
  EXPECT_NEAR(line->intercept, 0.11223471, 1e-8);
  EXPECT_NEAR(line->slope_error, 0.07066653, 1e-8);
  EXPECT_NEAR(line->intercept_error, 0.14551128, 1e-8);
  EXPECT_NEAR(line->covariance, -0.008589263420724096, 1e-12);
  EXPECT_NEAR(line->chi_square, 1.9575530586766607, 1e-10);
  EXPECT_EQ(line->degrees, 2u);
  EXPECT_NEAR(line->error_at(0), line->intercept_error, 1e-12);
}

TEST(Line, UnknownErrorsFromTheScatter) {
  const auto line = fit_line(kX, kY);
  ASSERT_TRUE(line.ok());
  EXPECT_NEAR(line->slope, 1.93333333, 1e-8);
  EXPECT_NEAR(line->slope_error, 0.07619048, 1e-8);
  EXPECT_NEAR(line->intercept_error, 0.24761905, 1e-8);
  EXPECT_NEAR(line->covariance, -0.0166893424036281, 1e-12);
}

TEST(Line, ErrorsSayHowFarTheTruthMayBe) {
  Random random(3);
  int within = 0;
  constexpr int runs = 4000;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> y(kX.size());
    for (size_t i = 0; i < y.size(); ++i) y[i] = 3 - 2 * kX[i] + kError[i] * random.normal();
    const auto line = fit_line(kX, y, kError);
    ASSERT_TRUE(line.ok());
    within += std::abs(line->slope + 2) < line->slope_error;
  }
  EXPECT_NEAR(static_cast<double>(within) / runs, 0.6827, 0.025);
}

TEST(Line, Refusals) {
  const std::vector<double> flat = {2, 2, 2, 2};
  EXPECT_EQ(fit_line(flat, kY, kError).error().what, "all points lie at the same x");
  const std::vector<double> zero = {0.1, 0, 0.1, 0.1};
  EXPECT_EQ(fit_line(kX, kY, zero).error().message(),
            "an error must be positive (point 1): leave the point out, or give its error");
  EXPECT_EQ(fit_line(kX, {kY.data(), 3}, kError).error().what, "a line needs as many x as y and errors");
  EXPECT_EQ(fit_line({kX.data(), 2}, {kY.data(), 2}).error().what, "a line needs at least 3 points");
  const std::vector<double> broken = {1, 2, std::nan(""), 3};
  EXPECT_EQ(fit_line(broken, kY, kError).error().what, "a point is not finite");
}

}  // namespace
}  // namespace tqm::stats
