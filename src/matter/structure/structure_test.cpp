#include "matter/structure/structure.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

Structure rock_salt() {
  Structure s;
  s.cell = Mat3::identity() * 5.64;
  const std::vector<Vec3> cations = {{0, 0, 0}, {0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}};
  for (const Vec3& f : cations) s.numbers.push_back(11), s.positions.push_back(f * s.cell);
  for (const Vec3& f : cations) s.numbers.push_back(17), s.positions.push_back((f + Vec3{.5, .5, .5}) * s.cell);
  return s;
}

TEST(Element, SymbolsAndNumbersAreEachOthersInverse) {
  for (int number = 1; number <= kMostElements; ++number) EXPECT_EQ(element_by_symbol(symbol(number)), number);
  EXPECT_EQ(symbol(3), "Li");
  EXPECT_EQ(symbol(118), "Og");
  EXPECT_EQ(element_by_symbol("CL"), 17);
  EXPECT_EQ(element_by_symbol("D"), 1);
  EXPECT_FALSE(element_by_symbol("Xx"));
  EXPECT_FALSE(element_by_symbol(""));
  EXPECT_FALSE(element_by_symbol("Lii"));
}

TEST(Element, LabelsGiveTheLongestSymbol) {
  EXPECT_EQ(element_by_label("Li1"), 3);
  EXPECT_EQ(element_by_label("O_s"), 8);
  EXPECT_EQ(element_by_label("Fe3+"), 26);
  EXPECT_EQ(element_by_label("Li_sv"), 3);
  EXPECT_EQ(element_by_label("O2-"), 8);
  EXPECT_EQ(element_by_label("Sa"), 16);  // no element Sa: sulphur, site a
  EXPECT_FALSE(element_by_label("1Li"));
  EXPECT_FALSE(element_by_label("?"));
}

TEST(Element, MassesIncreaseAndFindTheirElement) {
  EXPECT_DOUBLE_EQ(atomic_mass(3), 6.94);
  EXPECT_EQ(element_by_mass(6.941), 3);
  EXPECT_EQ(element_by_mass(15.9994), 8);
  EXPECT_EQ(element_by_mass(138.9055), 57);
  EXPECT_EQ(element_by_mass(58.69), 28);
  EXPECT_EQ(element_by_mass(58.93), 27);
  EXPECT_FALSE(element_by_mass(1.0e6));
  EXPECT_FALSE(element_by_mass(2.5));
  for (int number = 1; number <= 92; ++number) EXPECT_EQ(element_by_mass(atomic_mass(number)), number);
}

TEST(Structure, KnowsItsVolumeDensityAndFormula) {
  const Structure salt = rock_salt();
  EXPECT_NEAR(volume(salt), 179.406144, 1e-9);
  EXPECT_NEAR(density(salt), 2.1636, 1e-3);  // handbook value of halite: 2.165 g/cm³
  EXPECT_EQ(formula(salt), "NaCl");
  Structure sulfide;
  sulfide.numbers = {16, 16, 15, 3, 3, 3, 16, 16};
  EXPECT_EQ(formula(sulfide), "Li3PS4");
  sulfide.occupancies = {1, 1, 1, .5, 1, 1, 1, 1};
  EXPECT_EQ(formula(sulfide), "Li2.5PS4");
}

TEST(Structure, CellParametersGoBothWays) {
  const std::array<double, 6> wanted = {4.1, 5.2, 6.3, 77, 95, 111};
  const auto cell = cell_from_parameters(wanted, "test");
  ASSERT_TRUE(cell);
  const auto found = cell_parameters(*cell);
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], wanted[i], 1e-12);
  const auto cubic = cell_from_parameters({3, 3, 3, 90, 90, 90}, "test");
  ASSERT_TRUE(cubic);
  EXPECT_EQ(*cubic, Mat3::identity() * 3);
  EXPECT_FALSE(cell_from_parameters({3, 3, 3, 20, 20, 90}, "test"));
  EXPECT_FALSE(cell_from_parameters({3, 0, 3, 90, 90, 90}, "test"));
  EXPECT_FALSE(cell_from_parameters({3, 3, 3, 90, 90, 180}, "test"));
}

TEST(Structure, FractionalCoordinatesTimesTheCellArePositions) {
  Structure s = rock_salt();
  s.cell = *cell_from_parameters({4.1, 5.2, 6.3, 77, 95, 111}, "test");
  const std::vector<Vec3> fractions = fractional_positions(s);
  for (size_t i = 0; i < s.size(); ++i) EXPECT_LT(norm(fractions[i] * s.cell - s.positions[i]), 1e-13);
  for (const Vec3& f : wrapped_fractional_positions(s))
    for (size_t k = 0; k < 3; ++k) EXPECT_TRUE(f[k] >= 0 && f[k] < 1);
  EXPECT_EQ(wrapped(-1e-20), 0);
  EXPECT_EQ(wrapped(-0.25), 0.75);
}

TEST(Structure, RepeatingScalesWhatIsExtensive) {
  Structure s = rock_salt();
  s.energy = -27.0;
  s.stress = Stress{1, 2, 3, 4, 5, 6};
  s.charges.assign(8, 1.0);
  const Structure big = repeated(s, {2, 1, 3});
  EXPECT_EQ(big.size(), 48u);
  EXPECT_EQ(big.charges.size(), 48u);
  EXPECT_DOUBLE_EQ(*big.energy, -162);
  EXPECT_EQ(big.stress, s.stress);
  EXPECT_NEAR(volume(big), 6 * volume(s), 1e-9);
  EXPECT_TRUE(check(big, "test"));
  EXPECT_EQ(cell_widths(big.cell)[2], 3 * 5.64);
}

TEST(Structure, StressMatrixAndVoigtOrderAgree) {
  const Stress s = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(stress_matrix(s)[1].z, 4);
  EXPECT_EQ(stress_matrix(s)[0].z, 5);
  EXPECT_EQ(stress_matrix(s)[0].y, 6);
  EXPECT_EQ(stress_of(stress_matrix(s)), s);
}

TEST(Structure, DisorderIsNotTakenForOrder) {
  Structure s = rock_salt();
  EXPECT_TRUE(is_ordered(s));
  s.occupancies.assign(8, 1.0);
  EXPECT_TRUE(is_ordered(s));
  s.occupancies[2] = 0.25;
  EXPECT_FALSE(is_ordered(s));
  const auto refused = require_ordered(s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "atom 3 (Na) is there only to 0.25: the structure is disordered");
  EXPECT_NE(refused.error().next.find("torquetum matter order"), std::string::npos);
}

TEST(Structure, CheckRefusesWhatNoCrystalCanBe) {
  auto what = [](const Structure& s) {
    const auto status = check(s, "here");
    return status ? std::string("accepted") : status.error().what;
  };
  EXPECT_EQ(what(rock_salt()), "accepted");
  Structure s = rock_salt();
  s.cell[2] = s.cell[0] + s.cell[1];
  EXPECT_EQ(what(s), "the lattice vectors span no volume");
  s.periodic = {false, false, false};
  EXPECT_EQ(what(s), "accepted");
  s = rock_salt();
  s.numbers[1] = 119;
  EXPECT_EQ(what(s), "atom 2 has the atomic number 119, which no element has");
  s = rock_salt();
  s.positions[7].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(what(s), "the position of atom 8 is not finite");
  s = rock_salt();
  s.occupancies.assign(8, 1.0);
  s.occupancies[0] = 1.5;
  EXPECT_EQ(what(s), "atom 1 has the occupancy 1.5, outside 0 to 1");
  s = rock_salt();
  s.forces.resize(7);
  EXPECT_EQ(what(s), "a list of values that has not one for each of the 8 atoms");
  s = rock_salt();
  s.energy = std::numeric_limits<double>::infinity();
  EXPECT_EQ(what(s), "the energy is not finite");
}

}  // namespace
}  // namespace tqm::matter
