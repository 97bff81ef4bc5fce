#include "matter/potential/neighbours/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

#include "base/random.hpp"

namespace tqm::matter {
namespace {

using Key = std::tuple<int32_t, int32_t, int32_t, int32_t>;

Structure random_structure(Random& random, size_t atoms, double size, bool clusters) {
  Structure structure;
  for (size_t a = 0; a < 3; ++a) {
    for (size_t b = 0; b < 3; ++b) structure.cell[a][b] = (a == b ? size : 0) + size * 0.6 * (random.uniform() - 0.5);
    structure.periodic[a] = !clusters || random.below(2) == 0;
  }
  for (size_t i = 0; i < atoms; ++i) {
    structure.numbers.push_back(3 + static_cast<int>(random.below(3)));
    const Vec3 fraction{3 * random.uniform() - 1, 3 * random.uniform() - 1, 3 * random.uniform() - 1};  // not wrapped
    structure.positions.push_back(fraction * structure.cell);
  }
  return structure;
}

// Every image of every atom in a block of cells that is large enough for certain.
std::vector<Key> all_within(const Structure& structure, size_t i, double reach) {
  std::vector<Key> keys;
  std::array<int32_t, 3> far{};
  for (size_t d = 0; d < 3; ++d) {
    const double spread = 3 + reach / cell_widths(structure.cell)[d];
    far[d] = structure.periodic[d] ? static_cast<int32_t>(std::ceil(spread)) + 1 : 0;
  }
  for (size_t j = 0; j < structure.size(); ++j) {
    for (int32_t x = -far[0]; x <= far[0]; ++x) {
      for (int32_t y = -far[1]; y <= far[1]; ++y) {
        for (int32_t z = -far[2]; z <= far[2]; ++z) {
          if (j == i && x == 0 && y == 0 && z == 0) continue;
          const Vec3 r = separation(structure, i, Neighbour{static_cast<int32_t>(j), {x, y, z}});
          if (dot(r, r) <= reach * reach) keys.emplace_back(static_cast<int32_t>(j), x, y, z);
        }
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<Key> listed(const Structure& structure, const NeighbourList& list, size_t i, double reach) {
  std::vector<Key> keys;
  for (const Neighbour& n : list.of(i)) {
    if (norm(separation(structure, i, n)) <= reach) keys.emplace_back(n.atom, n.image[0], n.image[1], n.image[2]);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

TEST(NeighbourList, HoldsEveryImageThatCountingEverythingFinds) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    Team team(1 + round % 3);
    const double size = 2 + 10 * random.uniform();
    const Structure structure = random_structure(random, 1 + random.below(30), size, round % 3 == 0);
    NeighbourList list(3.1, 0.4);
    ASSERT_TRUE(list.update(structure, team));
    for (size_t i = 0; i < structure.size(); ++i) {
      ASSERT_EQ(listed(structure, list, i, 3.5), all_within(structure, i, 3.5)) << "round " << round << ", atom " << i;
      const auto neighbours = list.of(i);
      ASSERT_EQ(listed(structure, list, i, 1e9).size(), neighbours.size());
      ASSERT_TRUE(std::is_sorted(neighbours.begin(), neighbours.end(), [&](const Neighbour& a, const Neighbour& b) {
        return structure.numbers[static_cast<size_t>(a.atom)] < structure.numbers[static_cast<size_t>(b.atom)];
      }));
    }
  }
}

// Atoms walk, the cell breathes and shears, atoms are wrapped: whatever is inside the cutoff is in the list.
TEST(NeighbourList, MissesNothingBetweenBuilds) {
  Random random(11);
  Team team(1);
  for (int round = 0; round < 8; ++round) {
    Structure structure = random_structure(random, 20, 7, false);
    NeighbourList list(3, 0.6);
    int kept = 0;
    for (int step = 0; step < 60; ++step) {
      if (!list.update(structure, team)) ++kept;
      for (size_t i = 0; i < structure.size(); i += 7) {
        ASSERT_EQ(listed(structure, list, i, 3), all_within(structure, i, 3)) << "round " << round << ", step " << step;
      }
      Mat3 strain = Mat3::identity();
      for (size_t a = 0; a < 3; ++a) {
        for (size_t b = 0; b < 3; ++b) strain[a][b] += 0.003 * random.normal();
      }
      structure.cell = structure.cell * strain;
      for (Vec3& x : structure.positions) {
        x = x * strain + Vec3{0.02 * random.normal(), 0.02 * random.normal(), 0.02 * random.normal()};
      }
      if (step % 20 == 19) structure.positions[3] += structure.cell[1];
    }
    EXPECT_GT(kept, 10);
    EXPECT_GT(list.builds(), 2);
  }
}

TEST(NeighbourList, IsTheSameWithAnyNumberOfThreads) {
  Random random(3);
  const Structure structure = random_structure(random, 300, 15, false);
  NeighbourList one(4, 0.5), three(4, 0.5);
  Team alone(1), team(3);
  one.rebuild(structure, alone);
  three.rebuild(structure, team);
  ASSERT_EQ(one.pairs(), three.pairs());
  for (size_t i = 0; i < structure.size(); ++i) {
    const auto a = one.of(i), b = three.of(i);
    for (size_t k = 0; k < a.size(); ++k) {
      ASSERT_EQ(a[k].atom, b[k].atom);
      ASSERT_TRUE(std::equal(a[k].image, a[k].image + 3, b[k].image));
    }
  }
}

TEST(NeighbourList, OfNothingIsEmpty) {
  Team team(1);
  NeighbourList list(4, 0.5);
  list.rebuild(Structure{}, team);
  EXPECT_EQ(list.pairs(), 0U);
}

}  // namespace
}  // namespace tqm::matter
