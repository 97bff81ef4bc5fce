#include "stats/moments.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace tqm::stats {
namespace {

const std::vector<double> kValues = {1, 4, 2, 8, 5, 7, 1.5};

TEST(Moments, MeanVarianceAndSkewness) {
  const Moments m = moments(kValues);
  EXPECT_EQ(m.count(), 7);
  EXPECT_NEAR(m.mean(), 4.071428571428571, 1e-14);
  EXPECT_NEAR(m.variance(), 7.535714285714285, 1e-13);
  EXPECT_NEAR(m.skewness(), 0.2757217570026163, 1e-13);
  EXPECT_NEAR(m.standard_error(), std::sqrt(7.535714285714285 / 7), 1e-13);
}

TEST(Moments, FewOrEqualValuesHaveNoSpread) {
  Moments m;
  EXPECT_EQ(m.variance(), 0);
  EXPECT_EQ(m.standard_error(), 0);
  m.add(3);
  m.add(3);
  m.add(3);
  EXPECT_EQ(m.variance(), 0);
  EXPECT_EQ(m.skewness(), 0);
}

TEST(Moments, ALargeOffsetDoesNotCancel) {
  Moments m;
  for (double v : kValues) m.add(v + 1e9);
  EXPECT_NEAR(m.variance(), 7.535714285714285, 1e-6);
}

TEST(Moments, MergingEqualsOnePass) {
  for (size_t cut = 0; cut <= kValues.size(); ++cut) {
    Moments left = moments({kValues.data(), cut});
    left.merge(moments({kValues.data() + cut, kValues.size() - cut}));
    EXPECT_EQ(left.count(), 7);
    EXPECT_NEAR(left.mean(), 4.071428571428571, 1e-13);
    EXPECT_NEAR(left.variance(), 7.535714285714285, 1e-12);
    EXPECT_NEAR(left.skewness(), 0.2757217570026163, 1e-12);
  }
}

TEST(Quantiles, InterpolateBetweenOrderStatistics) {
  const std::vector<double> p = {0, 0.25, 0.5, 0.95, 0.99, 1};
  const auto found = quantiles(kValues, p);
  ASSERT_TRUE(found.ok());
  const std::vector<double> expected = {1, 1.75, 4, 7.7, 7.94, 8};
  for (size_t i = 0; i < p.size(); ++i) EXPECT_NEAR((*found)[i], expected[i], 1e-12);
}

TEST(Quantiles, RefuseWhatHasNone) {
  EXPECT_EQ(quantile({}, 0.5).error().what, "no quantile of an empty set of values");
  const std::vector<double> broken = {1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(quantile(broken, 0.5).error().what, "no quantile of values of which one is not a number");
  EXPECT_EQ(quantile(kValues, 1.5).error().what, "a quantile's probability must lie between 0 and 1");
}

}  // namespace
}  // namespace tqm::stats
