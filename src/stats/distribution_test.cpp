// Expected values: SciPy 1.x and, for the far tails, 40-digit arithmetic.
#include "stats/distribution.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tqm::stats {
namespace {

void expect_close(double actual, double expected, double relative = 1e-10) {
  EXPECT_NEAR(actual, expected, std::abs(expected) * relative) << "expected " << expected;
}

TEST(Distribution, NormalTails) {
  expect_close(normal_tail(-3), 0.9986501019683699);
  expect_close(normal_tail(0.5), 0.3085375387259869);
  expect_close(normal_tail(8.77), 8.93331430237563e-19);
  expect_close(normal_tail(20), 2.7536241186061556e-89);
  expect_close(normal_cdf(-20), 2.7536241186061556e-89);
}

TEST(Distribution, NormalQuantilesKeepTheirAccuracyInTheTails) {
  expect_close(normal_tail_quantile(0.999), -3.090232306167813);
  expect_close(normal_tail_quantile(0.7), -0.5244005127080409);
  expect_close(normal_tail_quantile(0.025), 1.9599639845400545);
  expect_close(normal_tail_quantile(1e-5), 4.264890793922825);
  expect_close(normal_tail_quantile(1e-18), 8.7572903487823150639);
  expect_close(normal_tail_quantile(1e-100), 21.273453560965322);
  expect_close(normal_tail_quantile(1e-300), 37.047096299361199);
  expect_close(normal_quantile(1e-18), -8.7572903487823150639);
  for (double z = -8; z < 37; z += 0.37) expect_close(normal_tail_quantile(normal_tail(z)), z, z < 0 ? 1e-2 : 1e-12);
}

TEST(Distribution, IncompleteBeta) {
  expect_close(incomplete_beta(0.5, 0.5, 0.3), 0.36901011956554536);
  expect_close(incomplete_beta(2, 3, 0.9), 0.9963);
  expect_close(incomplete_beta(50, 0.5, 0.2), 9.994267861337003e-37);
  expect_close(incomplete_beta(500, 300, 0.6), 0.07292159199253194);
  expect_close(incomplete_beta(0.1, 20, 0.0001), 0.5632532439852128);
  expect_close(incomplete_beta(24.5, 0.5, 0.99), 0.48505743127542655);
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
}

TEST(Distribution, StudentsT) {
  expect_close(t_tail(0.7, 1), 0.30559988778578523);
  expect_close(t_tail(2, 3), 0.06966298427942152);
  expect_close(t_tail(-1.5, 7.5), 0.912759714706768);
  expect_close(t_tail(12, 49), 1.6904052473986992e-16);
  expect_close(t_tail(14, 49), 4.7334933103963113e-19);
  expect_close(t_tail(3.3, 999), 0.000500515631527957);
  expect_close(t_cdf(-2, 3), 0.06966298427942152);
  EXPECT_EQ(t_tail(0, 4), 0.5);
}

TEST(Distribution, StudentsTQuantiles) {
  expect_close(t_tail_quantile(0.025, 1), 12.706204736174705);
  expect_close(t_tail_quantile(0.05, 9), 1.8331129326562376);
  expect_close(t_tail_quantile(0.9, 4), -1.533206274058944);
  expect_close(t_tail_quantile(1e-6, 49), 5.390798999260053);
  expect_close(t_tail_quantile(1e-18, 49), 13.735702717773284);
  expect_close(t_tail_quantile(0.05, 999), 1.6463803454275354);
  expect_close(t_tail_quantile(0.3, 2.5), 0.597307738252318);
  expect_close(t_quantile(0.975, 30), 2.042272456301238);
  EXPECT_EQ(t_quantile(0.5, 3), 0);
}

TEST(Distribution, Binomial) {
  expect_close(binomial_cdf(3, 10, 0.5), 0.171875);
  expect_close(binomial_cdf(40, 100, 0.3), 0.9875015928335618);
  expect_close(binomial_cdf(0, 25, 0.5), 2.9802322387695312e-08);
  expect_close(binomial_cdf(480, 1000, 0.5), 0.10872414660207075);
  expect_close(binomial_probability(40, 100, 0.3), 0.008490168837486486);
  expect_close(binomial_probability(480, 1000, 0.5), 0.011340982371187717);
  EXPECT_EQ(binomial_cdf(-1, 5, 0.5), 0);
  EXPECT_EQ(binomial_cdf(5, 5, 0.5), 1);
  EXPECT_EQ(binomial_probability(0, 5, 0), 1);
}

}  // namespace
}  // namespace tqm::stats
