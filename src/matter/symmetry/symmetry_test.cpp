#include "matter/symmetry/symmetry.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "matter/symmetry/same.hpp"

namespace tqm::matter {
namespace {

Structure from_fractions(double length, const std::vector<std::pair<int, Vec3>>& atoms) {
  Structure s;
  s.cell = Mat3::identity() * length;
  for (const auto& [number, f] : atoms) {
    s.numbers.push_back(number);
    s.positions.push_back(f * s.cell);
  }
  return s;
}

Structure salt() {
  return from_fractions(5.64, {{11, {0, 0, 0}},
                               {11, {0, .5, .5}},
                               {11, {.5, 0, .5}},
                               {11, {.5, .5, 0}},
                               {17, {.5, .5, .5}},
                               {17, {.5, 0, 0}},
                               {17, {0, .5, 0}},
                               {17, {0, 0, .5}}});
}

// Turned, moved, in another cell of the same lattice, its atoms in another order.
Structure disguised(const Structure& s, uint64_t seed) {
  Random random(seed);
  Structure t = repeated(s, {1, 2, 1});
  const double a = random.uniform() * 6, c = std::cos(a), n = std::sin(a);
  const Mat3 turn =
      Mat3{{Vec3{c, n, 0}, Vec3{-n, c, 0}, Vec3{0, 0, 1}}} * Mat3{{Vec3{1, 0, 0}, Vec3{0, n, c}, Vec3{0, -c, n}}};
  t.cell[2] = t.cell[2] + t.cell[0];
  t.cell = t.cell * turn;
  const Vec3 shift = {random.normal(), random.normal(), random.normal()};
  for (Vec3& p : t.positions) p = p * turn + shift;
  std::vector<size_t> order(t.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(order);
  Structure mixed = t;
  for (size_t i = 0; i < order.size(); ++i) {
    mixed.numbers[i] = t.numbers[order[i]];
    mixed.positions[i] = t.positions[order[i]];
  }
  return mixed;
}

TEST(Symmetry, FindsTheSpaceGroup) {
  const auto symmetry = symmetry_of(salt());
  ASSERT_TRUE(symmetry) << symmetry.error().message();
  EXPECT_EQ(symmetry->group, 225);
  EXPECT_EQ(symmetry->symbol, "Fm-3m");
  EXPECT_EQ(symmetry->rotations.size(), 192u);
  EXPECT_EQ(symmetry->equivalent, (std::vector<int>{0, 0, 0, 0, 4, 4, 4, 4}));
  Structure partial = salt();
  partial.occupancies.assign(8, 1.0);
  partial.occupancies[0] = .5;
  EXPECT_EQ(symmetry_of(partial)->group, 221);
}

TEST(Symmetry, RefusesWhatHasNoSpaceGroup) {
  Structure s = salt();
  s.periodic[2] = false;
  EXPECT_EQ(symmetry_of(s).error().what, "only a structure that is periodic in three directions has a space group");
  s = salt();
  s.positions[1] = s.positions[0];
  EXPECT_EQ(symmetry_of(s).error().kind, ErrorKind::breakdown);
}

TEST(Symmetry, ThePrimitiveCellIsTheSmallestAndReduced) {
  const auto small = primitive_cell(repeated(salt(), {2, 1, 1}));
  ASSERT_TRUE(small) << small.error().message();
  EXPECT_EQ(small->size(), 2u);
  EXPECT_NEAR(volume(*small), volume(salt()) / 4, 1e-9);
}

TEST(Same, ACrystalIsKnownInAnyDisguise) {
  Structure odd = from_fractions(5, {{3, {.1, .2, .3}}, {8, {.4, .55, .9}}, {8, {.7, .1, .6}}, {15, {.25, .8, .05}}});
  odd.cell = *cell_from_parameters({5, 6, 7, 80, 95, 105}, "test");
  for (const Structure& s : {salt(), odd})
    for (uint64_t seed = 1; seed < 10; ++seed) {
      const auto a = primitive_cell(s), b = primitive_cell(disguised(s, seed));
      ASSERT_TRUE(a && b);
      EXPECT_TRUE(same_crystal(*a, *b));
      for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(fingerprint(*a)[k], fingerprint(*b)[k], 1e-4 * fingerprint(*a)[k]);
    }
}

TEST(Same, OtherCrystalsAreOthers) {
  const auto a = primitive_cell(salt());
  Structure other = salt();
  other.numbers[7] = 35;
  EXPECT_FALSE(same_crystal(*a, *primitive_cell(other)));
  other = salt();
  other.positions[7].x += .1;
  EXPECT_FALSE(same_crystal(*primitive_cell(other), *primitive_cell(salt())));
  other = salt();
  other.cell = other.cell * 1.01;
  for (Vec3& p : other.positions) p *= 1.01;
  EXPECT_FALSE(same_crystal(*a, *primitive_cell(other)));
  const Structure blende = from_fractions(5.64, {{11, {0, 0, 0}},
                                                 {11, {0, .5, .5}},
                                                 {11, {.5, 0, .5}},
                                                 {11, {.5, .5, 0}},
                                                 {17, {.25, .25, .25}},
                                                 {17, {.25, .75, .75}},
                                                 {17, {.75, .25, .75}},
                                                 {17, {.75, .75, .25}}});
  EXPECT_FALSE(same_crystal(*a, *primitive_cell(blende)));
}

}  // namespace
}  // namespace tqm::matter
