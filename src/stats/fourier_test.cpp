#include "stats/fourier.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "base/random.hpp"

namespace tqm::stats {
namespace {

TEST(Fourier, IsTheSumThatDefinesIt) {
  Random random(3);
  std::vector<std::complex<double>> x(16);
  for (auto& value : x) value = {random.normal(), random.normal()};
  std::vector<std::complex<double>> y = x;
  fourier(y, false);
  for (size_t k = 0; k < x.size(); ++k) {
    std::complex<double> sum = 0;
    for (size_t j = 0; j < x.size(); ++j)
      sum += x[j] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k) / 16);
    EXPECT_NEAR(std::abs(y[k] - sum), 0, 1e-13);
  }
  fourier(y, true);
  for (size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(std::abs(y[j] / 16.0 - x[j]), 0, 1e-14);
}

TEST(Fourier, AutocorrelationDoesNotWrapRound) {
  const std::vector<double> x = {1, 2, -3, 4, 0.5};
  const std::vector<double> found = autocorrelation(x);
  ASSERT_EQ(found.size(), x.size());
  for (size_t m = 0; m < x.size(); ++m) {
    double sum = 0;
    for (size_t j = 0; j + m < x.size(); ++j) sum += x[j] * x[j + m];
    EXPECT_NEAR(found[m], sum, 1e-13) << m;
  }
  EXPECT_TRUE(autocorrelation({}).empty());
}

}  // namespace
}  // namespace tqm::stats
