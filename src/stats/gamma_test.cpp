// Expected values: closed forms, and the Poisson bounds of Garwood (1936).
#include "stats/gamma.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tqm::stats {
namespace {

TEST(Gamma, CumulativeProbabilities) {
  for (const double x : {0.1, 1.0, 3.0, 20.0}) EXPECT_NEAR(gamma_cdf(1, x), -std::expm1(-x), 1e-14);
  for (const double x : {0.01, 0.5, 4.0}) EXPECT_NEAR(gamma_cdf(0.5, x), std::erf(std::sqrt(x)), 1e-14);
  // 1 - Σ over k < 10 of e^-x x^k / k!
  EXPECT_NEAR(gamma_cdf(10, 10), 0.5420702855281478, 1e-13);
  EXPECT_EQ(gamma_cdf(2, 0), 0);
}

TEST(Gamma, QuantilesAreTheInverse) {
  for (const double shape : {0.5, 1.0, 3.7, 100.0, 20000.0})
    for (const double p : {1e-4, 0.025, 0.5, 0.975, 0.9999})
      EXPECT_NEAR(gamma_cdf(shape, gamma_quantile(shape, p)), p, 1e-9) << shape << " " << p;
}

TEST(Gamma, PoissonBoundsOfGarwood) {
  EXPECT_NEAR(gamma_quantile(1, 0.95), 2.995732273553991, 1e-10);   // nothing seen, one-sided 95 %
  EXPECT_NEAR(gamma_quantile(1, 0.975), 3.688879454113936, 1e-10);  // nothing seen
  EXPECT_NEAR(gamma_quantile(10, 0.025), 4.795388703061, 1e-8);     // ten seen
  EXPECT_NEAR(gamma_quantile(11, 0.975), 18.390356, 1e-5);
}

}  // namespace
}  // namespace tqm::stats
