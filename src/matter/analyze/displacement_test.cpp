#include "matter/analyze/displacement.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "stats/sample_walk.hpp"

namespace tqm::matter {
namespace {

TEST(Displacement, MeanSquaresAreThoseOfTheDoubleLoop) {
  const Coordinates walk = stats::sample_walk({.walkers = 3, .points = 50, .jumps = 40}, 1);
  const std::vector<double> msd = mean_square_displacement(walk);
  ASSERT_EQ(msd.size(), 50u);
  for (size_t m = 0; m < 50; ++m) {
    double sum = 0;
    for (const auto& x : walk)
      for (size_t t = 0; t + m < 50; ++t) sum += (x[t + m] - x[t]) * (x[t + m] - x[t]);
    EXPECT_NEAR(msd[m], sum / 3 / static_cast<double>(50 - m), 1e-10) << m;
  }
}

TEST(Displacement, FarFromTheOriginNoDigitsAreLost) {
  Coordinates walk = stats::sample_walk({.walkers = 2, .points = 200, .jumps = 40}, 1);
  const std::vector<double> near = mean_square_displacement(walk);
  for (auto& x : walk)
    for (double& value : x) value += 1e6;
  const std::vector<double> far = mean_square_displacement(walk);
  for (size_t m = 1; m < 200; ++m) EXPECT_NEAR(far[m], near[m], 1e-6 * near[m]);
}

TEST(Displacement, OfIndependentIonsTheCollectiveEqualsTheSelf) {
  const Coordinates walk = stats::sample_walk({.walkers = 50, .points = 4001, .jumps = 20000}, 3);
  const std::vector<double> self = mean_square_displacement(walk);
  const std::vector<double> together = mean_square_displacement(collective(walk));
  EXPECT_NEAR(together[20] / self[20], 1, 0.2);
  // All ions as one: N times the self part.
  const Coordinates one(walk.begin(), walk.begin() + 3);
  Coordinates same;
  for (int copy = 0; copy < 8; ++copy) same.insert(same.end(), one.begin(), one.end());
  const double alone = mean_square_displacement(one)[20];
  EXPECT_NEAR(mean_square_displacement(collective(same))[20], 8 * alone, 1e-9 * alone);
}

TEST(Displacement, JumpsAreCountedAndSoAreThoseBack) {
  const stats::SampleWalk plan{.walkers = 20, .points = 20001, .jumps = 600, .turn_back = 0.5};
  const Jumps jumps = count_jumps(stats::sample_walk(plan, 5), 1.5);
  EXPECT_NEAR(static_cast<double>(jumps.count), 600, 60);
  EXPECT_NEAR(static_cast<double>(jumps.back) / static_cast<double>(jumps.count), 0.5 + 0.5 / 6, 0.08);
  EXPECT_NEAR(jumps.length, 3, 0.15);
  EXPECT_EQ(count_jumps(stats::sample_walk({.jumps = 1e-9}, 5), 1.5).count, 0);
}

// The current of an Ornstein–Uhlenbeck velocity: its integral is known, and so is the displacement it adds up to.
TEST(Displacement, GreenKuboAgreesWithEinstein) {
  Random random(11);
  constexpr size_t n = 400'000;
  constexpr double step = 1, time = 20, keep = 1 - step / time;
  std::vector<Vec3> current(n);
  Coordinates place(3, std::vector<double>(n));
  Vec3 v{random.normal(), random.normal(), random.normal()};
  Vec3 x{};
  for (size_t i = 0; i < n; ++i) {
    current[i] = v;
    for (size_t axis = 0; axis < 3; ++axis) place[axis][i] = x[axis];
    const Vec3 kick{random.normal(), random.normal(), random.normal()};
    const Vec3 next = v * keep + kick * std::sqrt(1 - keep * keep);
    x += (v + next) * (step / 2);
    v = next;
  }
  const std::vector<double> integral = green_kubo(current, step, 200);
  const std::vector<double> msd = mean_square_displacement(place);
  const double einstein = (msd[200] - msd[199]) / 6 / step;
  EXPECT_NEAR(integral[200], einstein, 0.01 * einstein);
  EXPECT_NEAR(integral[200], (1 + keep) / (1 - keep) / 2, 3);  // 19.5 ± 5 %
}

TEST(Displacement, LogarithmicSlopeTellsRegimes) {
  std::vector<double> msd(200);
  for (size_t m = 0; m < 200; ++m) msd[m] = 0.5 + 0.3 * static_cast<double>(m);
  EXPECT_NEAR(log_slope(msd, 0.5, 20, 100), 1, 1e-9);
  for (size_t m = 0; m < 200; ++m) msd[m] = 0.3 * static_cast<double>(m * m);
  EXPECT_NEAR(log_slope(msd, 0, 20, 100), 2, 1e-9);
  EXPECT_EQ(log_slope(msd, 1e9, 20, 100), 0);
}

TEST(Displacement, OfNothingThereIsNothing) {
  EXPECT_TRUE(mean_square_displacement({}).empty());
  EXPECT_TRUE(collective({}).empty());
  EXPECT_TRUE(green_kubo({}, 1, 5).empty());
  EXPECT_EQ(count_jumps({}, 1).count, 0);
}

}  // namespace
}  // namespace tqm::matter
