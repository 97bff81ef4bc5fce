#include "matter/structure/pairs.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"

namespace tqm::matter {
namespace {

size_t count(const Structure& s, double cutoff) {
  size_t pairs = 0;
  for_each_pair(s, cutoff, [&](const Pair& pair) {
    EXPECT_NEAR(norm(pair.step), pair.distance, 1e-12);
    ++pairs;
  });
  return pairs;
}

// All images within n cells, by trying each.
size_t count_plainly(const Structure& s, double cutoff, int n) {
  size_t twice = 0;
  for (size_t i = 0; i < s.size(); ++i)
    for (size_t j = 0; j < s.size(); ++j)
      for (int a = -n; a <= n; ++a)
        for (int b = -n; b <= n; ++b)
          for (int c = -n; c <= n; ++c) {
            if ((a && !s.periodic[0]) || (b && !s.periodic[1]) || (c && !s.periodic[2])) continue;
            if (i == j && !a && !b && !c) continue;
            const Vec3 step = s.positions[j] - s.positions[i] + Vec3{double(a), double(b), double(c)} * s.cell;
            twice += norm(step) < cutoff;
          }
  return twice / 2;
}

TEST(Pairs, ASimpleCubicCellOfOneAtomHasItsShells) {
  Structure s;
  s.cell = Mat3::identity() * 2;
  s.numbers = {84};
  s.positions = {{17, -3, 0}};
  EXPECT_EQ(count(s, 2.01), 3u);  // 6 neighbours, each pair once
  EXPECT_EQ(count(s, 2.9), 9u);   // + 12
  EXPECT_EQ(count(s, 3.5), 13u);  // + 8
  EXPECT_EQ(count(s, 1.9), 0u);
}

TEST(Pairs, AnyCellGivesWhatTryingAllImagesGives) {
  Random random(7);
  for (int round = 0; round < 40; ++round) {
    Structure s;
    do
      for (Vec3& row : s.cell.rows) row = {random.normal() * 4, random.normal() * 4, random.normal() * 4};
    while (volume(s) < 20);
    s.periodic = {round % 2 == 0, round % 3 != 0, true};
    for (int i = 0; i < 6; ++i) {
      s.numbers.push_back(3);
      s.positions.push_back(Vec3{random.normal(), random.normal(), random.normal()} * s.cell);
    }
    const std::array<double, 3> widths = cell_widths(s.cell);
    const double narrow = std::min({widths[0], widths[1], widths[2]});
    const double cutoff = std::min(3.5, narrow * 2);
    EXPECT_EQ(count(s, cutoff), count_plainly(s, cutoff, 9)) << round;
  }
}

TEST(Pairs, AMoleculeHasNoImages) {
  Structure s;
  s.periodic = {false, false, false};
  s.numbers = {8, 1, 1};
  s.positions = {{0, 0, 0}, {.96, 0, 0}, {-.24, .93, 0}};
  EXPECT_EQ(count(s, 1.2), 2u);
  EXPECT_EQ(count(s, 3), 3u);
}

}  // namespace
}  // namespace tqm::matter
