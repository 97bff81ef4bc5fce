#include "matter/order/order.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "matter/order/ewald.hpp"
#include "matter/structure/pairs.hpp"

namespace tqm::matter {
namespace {

Structure crystal(double length, const std::vector<std::tuple<int, Vec3, double>>& atoms) {
  Structure s;
  s.cell = Mat3::identity() * length;
  for (const auto& [number, f, occupancy] : atoms) {
    s.numbers.push_back(number);
    s.positions.push_back(f * s.cell);
    s.occupancies.push_back(occupancy);
  }
  return s;
}

const std::vector<Vec3> kFaces = {{0, 0, 0}, {0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}};

// Madelung's constant of n ion pairs, charges ±1, at the nearest distance r0.
double madelung(const Structure& s, double r0) {
  std::vector<double> charges;
  for (int number : s.numbers) charges.push_back(number == 11 ? 1 : -1);
  const double pairs = static_cast<double>(s.size()) / 2;
  return -EwaldMatrix(s.cell, s.positions).energy(charges) * r0 / kCoulomb / pairs;
}

Structure two_lattices(double length, const Vec3& shift) {
  Structure s = crystal(length, {});
  for (const Vec3& f : kFaces) s.numbers.push_back(11), s.positions.push_back(f * s.cell);
  for (const Vec3& f : kFaces) s.numbers.push_back(17), s.positions.push_back((f + shift) * s.cell);
  return s;
}

TEST(Ewald, MadelungConstantsOfRockSaltCaesiumChlorideAndZincBlende) {
  EXPECT_NEAR(madelung(two_lattices(5.64, {.5, .5, .5}), 2.82), 1.747565, 1e-6);
  EXPECT_NEAR(madelung(two_lattices(5.4, {.25, .25, .25}), 5.4 * std::sqrt(3) / 4), 1.638055, 1e-6);
  Structure cscl = crystal(4.12, {});
  cscl.numbers = {11, 17};
  cscl.positions = {{0, 0, 0}, {2.06, 2.06, 2.06}};
  EXPECT_NEAR(madelung(cscl, 4.12 * std::sqrt(3) / 2), 1.762675, 1e-6);
}

TEST(Ewald, ASupercellAndASkewedCellGiveTheSame) {
  Structure s = two_lattices(5.64, {.5, .5, .5});
  const double once = madelung(s, 2.82);
  EXPECT_NEAR(madelung(repeated(s, {2, 1, 1}), 2.82), once, 1e-9);
  s.cell[2] = s.cell[2] + s.cell[0] * 2 - s.cell[1];
  EXPECT_NEAR(madelung(s, 2.82), once, 1e-9);
}

TEST(Oxidation, TheMostUsualStatesThatAreNeutral) {
  auto text = [](const std::map<int, double>& counts) {
    const auto states = oxidation_states(counts, {}, "test");
    return states ? oxidation_text(*states) : states.error().what;
  };
  EXPECT_EQ(text({{3, 10}, {32, 1}, {15, 2}, {16, 12}}), "Li +1, P +5, S -2, Ge +4");
  EXPECT_EQ(text({{3, 1.3}, {13, .3}, {22, 1.7}, {15, 3}, {8, 12}}), "Li +1, O -2, Al +3, P +5, Ti +4");
  EXPECT_EQ(text({{3, 2}, {15, 1}, {16, 3}}), "Li +1, P +4, S -2");  // Li4P2S6
  EXPECT_EQ(text({{3, 1}, {17, 1}, {8, 4}}), "Li +1, O -2, Cl +7");  // a perchlorate
  EXPECT_EQ(text({{3, 1}, {5, 1}, {1, 4}}), "H -1, Li +1, B +3");    // a borohydride
  EXPECT_EQ(text({{3, 2}, {16, 1}, {8, 4}}), "Li +1, O -2, S +6");   // a sulphate
  EXPECT_EQ(text({{3, 1}, {8, 5}}),
            "no usual oxidation states make the composition neutral: -80.0 % of the charge is left at best");
  EXPECT_EQ(text({{3, 1}, {2, 5}}), "no oxidation state of He is known");
  EXPECT_EQ(oxidation_text(*oxidation_states({{26, 1}, {17, 4}}, *parse_oxidation("Fe=4"), "test")), "Cl -1, Fe +4");
  EXPECT_EQ(parse_oxidation("Fe").error().what, "Fe is no oxidation state");
  EXPECT_EQ(parse_oxidation("Qq=1").error().what, "Qq=1 is no oxidation state");
}

TEST(Order, HalfFilledSitesBecomeTheArrangementOfLeastEnergy) {
  // Eight corners-and-faces sites of a doubled cell, half of them lithium: every arrangement is tried.
  std::vector<std::tuple<int, Vec3, double>> atoms;
  for (const Vec3& f : kFaces) atoms.emplace_back(3, f, .5);
  atoms.emplace_back(8, Vec3{.5, .5, .5}, 1.0);
  const auto ordered = order(crystal(4.6, atoms), {});
  ASSERT_TRUE(ordered) << ordered.error().message();
  EXPECT_TRUE(ordered->complete);
  EXPECT_EQ(ordered->tried, 6u);  // 4 choose 2
  EXPECT_EQ(ordered->supercell, (std::array<int, 3>{1, 1, 1}));
  EXPECT_EQ(ordered->atoms, (std::map<int, int>{{3, 2}, {8, 1}}));
  EXPECT_TRUE(is_ordered(ordered->cells[0]));
  for (size_t i = 1; i < ordered->cells.size(); ++i)
    EXPECT_LT(std::stod(ordered->cells[i - 1].notes.at("ewald_ev")), std::stod(ordered->cells[i].notes.at("ewald_ev")));
}

TEST(Order, ASupercellIsTakenWhereTheCountsAreNotWhole) {
  // Na3/4 Li1/4 on one site: four cells.
  const Structure s = crystal(4, {{11, {0, 0, 0}, .75}, {3, {0, 0, 0}, .25}, {9, {.5, .5, .5}, 1}});
  const auto ordered = order(s, {});
  ASSERT_TRUE(ordered) << ordered.error().message();
  EXPECT_EQ(ordered->supercell[0] * ordered->supercell[1] * ordered->supercell[2], 4);
  EXPECT_EQ(ordered->atoms, (std::map<int, int>{{3, 1}, {9, 4}, {11, 3}}));
  EXPECT_EQ(ordered->worst_deviation, 0);
  OrderOptions small;
  small.most_atoms = 6;
  EXPECT_EQ(order(s, small).error().what,
            "no supercell of at most 6 atoms (3 cells) has whole numbers within 2 % of the composition: the nearest "
            "neutral one is 33.3 % off");
}

TEST(Order, SitesTooNearAreNeverBothOccupied) {
  // Split sites 0.8 Å apart, each half there.
  std::vector<std::tuple<int, Vec3, double>> atoms;
  for (const Vec3& f : kFaces) {
    atoms.emplace_back(3, f, .5);
    atoms.emplace_back(3, f + Vec3{.16, 0, 0}, .5);
    atoms.emplace_back(17, f + Vec3{.5, .5, .5}, 1.0);
  }
  const Structure s = repeated(crystal(5, atoms), {2, 1, 1});
  for (const size_t candidates : {size_t{10'000}, size_t{10}}) {  // all, and by Monte Carlo
    OrderOptions options;
    options.arrange.most_candidates = candidates;
    const auto ordered = order(s, options);
    ASSERT_TRUE(ordered) << ordered.error().message();
    EXPECT_EQ(ordered->complete, candidates == 10'000);
    for (const Structure& cell : ordered->cells) {
      EXPECT_EQ(composition(cell).at(3), 8);
      for_each_pair(cell, 1.2, [&](const Pair& pair) { ADD_FAILURE() << pair.distance; });
    }
  }
}

TEST(Order, TheMonteCarloFindsWhatTryingAllFinds) {
  std::vector<std::tuple<int, Vec3, double>> atoms;
  for (const Vec3& f : kFaces) {
    atoms.emplace_back(3, f, .5);
    atoms.emplace_back(3, f + Vec3{.5, .5, .5}, .5);
    atoms.emplace_back(8, f + Vec3{.25, .25, .25}, 0.5);
  }
  const Structure s = crystal(6, atoms);
  OrderOptions all;
  const auto complete = order(s, all);
  ASSERT_TRUE(complete) << complete.error().message();
  ASSERT_TRUE(complete->complete);
  OrderOptions few;
  few.arrange.most_candidates = 1;
  const auto searched = order(s, few);
  ASSERT_TRUE(searched) << searched.error().message();
  EXPECT_FALSE(searched->complete);
  EXPECT_NEAR(std::stod(complete->cells[0].notes.at("ewald_ev")), std::stod(searched->cells[0].notes.at("ewald_ev")),
              1e-6);
  EXPECT_EQ(searched->cells[0].positions, order(s, few)->cells[0].positions);  // seeded: the same again
}

TEST(Order, WhatIsOrderedIsHandedOn) {
  const auto ordered = order(two_lattices(5.64, {.5, .5, .5}), {});
  ASSERT_TRUE(ordered);
  EXPECT_TRUE(ordered->already);
  EXPECT_EQ(ordered->cells.size(), 1u);
}

TEST(Order, RefusesWithTheReason) {
  // Two sites 0.8 Å apart that are both three quarters full can't be.
  std::vector<std::tuple<int, Vec3, double>> atoms;
  for (const Vec3& f : kFaces) {
    atoms.emplace_back(3, f, .75);
    atoms.emplace_back(3, f + Vec3{.16, 0, 0}, .75);
  }
  for (const Vec3& f : {Vec3{.5, .5, .5}, Vec3{.5, .5, 0}, Vec3{0, .5, 0}})
    atoms.emplace_back(8, f + Vec3{0, .03, .04}, 1.0);
  EXPECT_EQ(order(crystal(5, atoms), {}).error().what,
            "no arrangement keeps occupied sites 1.2 Å apart at these occupancies");
  EXPECT_EQ(order(crystal(4, {{3, {0, 0, 0}, .5}, {9, {.5, .5, .5}, 1}}), {}).error().what,
            "no usual oxidation states make the composition neutral: -50.0 % of the charge is left at best");
  Structure s = two_lattices(5.64, {.5, .5, .5});
  s.occupancies.assign(8, 1.0);
  s.occupancies[3] = s.occupancies[7] = .5;
  OrderOptions options;
  options.most_atoms = 4;
  EXPECT_EQ(order(s, options).error().what,
            "the cell itself has 7 atoms on 8 sites, more than the 4 atoms allowed (or 1500 sites)");
}

TEST(Order, TheStatedCompositionIsComparedWith) {
  Structure s = crystal(4, {{3, {0, 0, 0}, .5}, {3, {.5, 0, 0}, .5}, {9, {.5, .5, .5}, 1}});
  s.notes["formula_sum"] = "Li1 F1";
  EXPECT_NEAR(*order(s, {})->stated_deviation, 0, 1e-12);
  s.notes["formula_sum"] = "Li3 F2";
  EXPECT_GT(*order(s, {})->stated_deviation, .1);
}

}  // namespace
}  // namespace tqm::matter
