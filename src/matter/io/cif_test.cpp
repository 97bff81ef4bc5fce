#include "matter/io/cif.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "matter/io/from_text.hpp"
#include "matter/io/symmetry_operator.hpp"

namespace tqm::matter {
namespace {

std::string with_cell(const std::string& rest, const std::string& length = "5.6402(3)") {
  return "data_test\n_cell_length_a " + length + "\n_cell_length_b " + length + "\n_cell_length_c " + length +
         "\n_cell_angle_alpha 90\n_cell_angle_beta 90.00(2)\n_cell_angle_gamma 90\n" + rest;
}

const std::string kP1 = "loop_\n_symmetry_equiv_pos_as_xyz\n'x, y, z'\n";
const std::string kSites =
    "loop_\n_atom_site_label\n_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n"
    "_atom_site_fract_z\n_atom_site_occupancy\n";

Structure cif(const std::string& text) {
  auto frames = frames_of(read_cif, text);
  EXPECT_TRUE(frames) << frames.error().message();
  return frames && !frames->empty() ? frames->at(0) : Structure();
}

TEST(SymmetryOperator, ReadsFractionsDecimalsAndCoefficients) {
  const auto op = symmetry_operator_of("-y+1/2, X-Y , 0.3333-z");
  ASSERT_TRUE(op);
  const Vec3 image = (*op)({.1, .2, .3});
  EXPECT_NEAR(image.x, .3, 1e-15);
  EXPECT_NEAR(image.y, -.1, 1e-15);
  EXPECT_NEAR(image.z, 1. / 3 - .3, 1e-15);
  EXPECT_EQ(symmetry_operator_of("x/2, 2*y, z+1/4")->rotation[1][1], 2);
  EXPECT_EQ(symmetry_operator_of("1/2+x,y,z")->translation.x, .5);
  for (const char* bad : {"", "x,y", "x,y,z,", "x,y,", "x y,z,x", "x,y,q", "x,y,z/0", "x,y,1/", "x,y,+", "xx,y,z"})
    EXPECT_FALSE(symmetry_operator_of(bad)) << bad;
}

TEST(Cif, StandardUncertaintiesStandInBrackets) {
  const Structure s = cif(with_cell(kP1 + kSites + "Na1 Na 0.12(3) 0 0 1.00(2)\n"));
  EXPECT_EQ(s.cell[0].x, 5.6402);
  EXPECT_NEAR(s.positions[0].x, .12 * 5.6402, 1e-12);
  EXPECT_TRUE(is_ordered(s));
}

TEST(Cif, SymmetryIsThatOfTheOperatorsAndNotOfTheName) {
  const std::string face =
      "_symmetry_space_group_name_H-M 'P 1'\nloop_\n_space_group_symop_operation_xyz\nx,y,z\nx,y+1/2,z+1/2\n"
      "x+1/2,y,z+1/2\nx+1/2,y+1/2,z\n";
  const Structure s = cif(with_cell(face + kSites + "Na1 Na 0 0 0 1\nCl1 Cl .5 .5 .5 1\n"));
  EXPECT_EQ(s.size(), 8u);
  EXPECT_EQ(formula(s), "NaCl");
}

TEST(Cif, WithoutOperatorsTheHallSymbolAndThenTheNameServe) {
  const std::string sites = kSites + "Na1 Na 0 0 0 1\nCl1 Cl .5 .5 .5 1\n";
  EXPECT_EQ(cif(with_cell("_space_group_name_Hall '-F 4 2 3'\n" + sites)).size(), 8u);
  Structure s = cif(with_cell("_symmetry_space_group_name_H-M 'F m -3 m'\n" + sites));
  EXPECT_EQ(s.size(), 8u);
  EXPECT_EQ(s.notes.at("reader"), "operators are those of the group's name");
  s = cif(with_cell(sites));
  EXPECT_EQ(s.size(), 2u);
  EXPECT_EQ(s.notes.at("reader"), "the file names no symmetry: P 1 is taken");
  EXPECT_EQ(
      refusal_of(read_cif, with_cell("_symmetry_space_group_name_H-M 'F d -3 m'\n" + sites)),
      "the file lists no symmetry operators, and its group F d -3 m has two choices of origin (input, data_test)");
  EXPECT_EQ(refusal_of(read_cif, with_cell("_symmetry_space_group_name_H-M 'F q'\n" + sites)),
            "the file lists no symmetry operators, and its group F q is not known (input, data_test)");
}

TEST(Cif, RoundedSpecialPositionsAreOneAtomAndSplitSitesStaySplit) {
  const std::string inversion = "loop_\n_symmetry_equiv_pos_as_xyz\nx,y,z\n-x,-y,-z\n";
  // 0.4999 and 0.5001 are the same atom; 0.49 and 0.51, 0.11 Å apart, are two halves.
  EXPECT_EQ(cif(with_cell(inversion + kSites + "Li1 Li .4999 0 0 1\n")).size(), 1u);
  EXPECT_EQ(cif(with_cell(inversion + kSites + "Li1 Li .49 0 0 .5\n")).size(), 2u);
}

TEST(Cif, TheStatedMultiplicityDecidesWhatIsOneAtom) {
  std::string text = with_cell("loop_\n_symmetry_equiv_pos_as_xyz\nx,y,z\n-x,-y,-z\n" + kSites);
  text.insert(text.find("_atom_site_occupancy"), "_atom_site_symmetry_multiplicity\n");
  EXPECT_EQ(cif(text + "Li1 Li .49 0 0 1 1\n").size(), 1u);
  EXPECT_EQ(cif(text + "Li1 Li .499 0 0 2 .5\n").size(), 2u);
  EXPECT_EQ(cif(text + "Li1 Li .1 0 0 7 1\n").notes.at("reader"),
            "site Li1 has 2 images and a stated multiplicity of 7");
}

TEST(Cif, DisorderIsNeverReadAsOrder) {
  const Structure s = cif(with_cell(kP1 + kSites + "Na1 Na 0 0 0 .75\nLi1 Li 0 0 0 .25\nCl1 Cl .5 .5 .5 .\n"));
  EXPECT_EQ(s.size(), 3u);
  EXPECT_FALSE(is_ordered(s));
  EXPECT_EQ(s.occupancies, (std::vector<double>{.75, .25, 1}));
  EXPECT_EQ(formula(s), "Li0.25Na0.75Cl");
}

TEST(Cif, OccupanciesAboveOneAreRoundingOrRefused) {
  Structure s = cif(with_cell(kP1 + kSites + "Na1 Na 0 0 0 1.01\n"));
  EXPECT_TRUE(is_ordered(s));
  EXPECT_EQ(s.notes.at("reader"), "site Na1 has the occupancy 1.01, taken as 1");
  s = cif(with_cell(kP1 + kSites + "Na1 Na 0 0 0 .505\nLi1 Li 0 0 0 .505\n"));
  EXPECT_DOUBLE_EQ(s.occupancies[0] + s.occupancies[1], 1);
  EXPECT_EQ(refusal_of(read_cif, with_cell(kP1 + kSites + "Na1 Na 0 0 0 4\n")),
            "site Na1 has the occupancy 4, more than one atom (input, data_test)");
  EXPECT_EQ(refusal_of(read_cif, with_cell(kP1 + kSites + "Na1 Na 0 0 0 .6\nLi1 Li 0 0 0 .5\n")),
            "the occupancies of the site of Na1 add up to 1.1000 (input, data_test)");
}

TEST(Cif, ChargesOfTypeSymbolsAreKeptAndWaterIsNoTungsten) {
  const Structure s = cif(with_cell(kP1 + kSites + "Li1 Li1+ 0 0 0 1\nO1 O2- .5 .5 .5 1\n"));
  EXPECT_EQ(s.charges, (std::vector<double>{1, -2}));
  EXPECT_EQ(refusal_of(read_cif, with_cell(kP1 + kSites + "W1 Wat 0 0 0 1\n")),
            "site W1 is of type Wat, which is no element (input, data_test)");
}

TEST(Cif, EveryBlockWithSitesIsAFrame) {
  const std::string block = with_cell(kP1 + kSites + "Na1 Na 0 0 0 1\n");
  const auto frames = frames_of(
      read_cif, "data_global\n_journal_year 2020\n" + block + block.substr(0, 5) + "second" + block.substr(9));
  ASSERT_TRUE(frames) << frames.error().message();
  ASSERT_EQ(frames->size(), 2u);
  EXPECT_EQ(frames->at(1).name, "second");
}

TEST(Cif, RefusesWhatHasNoPlace) {
  EXPECT_EQ(refusal_of(read_cif, "data_x\n_a 1\n"), "no data block holds sites with fractional coordinates (input)");
  EXPECT_EQ(refusal_of(read_cif, with_cell(kP1 + kSites + "Na1 Na ? 0 0 1\n")),
            "site Na1 has no position (input, data_test)");
  EXPECT_EQ(refusal_of(read_cif, with_cell(kP1 + kSites + "Na1 Na 0 0 0 much\n")),
            "site Na1 has the occupancy much (input, data_test)");
  EXPECT_EQ(refusal_of(read_cif, with_cell("loop_\n_symmetry_equiv_pos_as_xyz\nx,y\n" + kSites + "Na1 Na 0 0 0 1\n")),
            "x,y is no symmetry operator (input, data_test)");
  EXPECT_EQ(refusal_of(read_cif, with_cell(kP1 + kSites + "Na1 Na 0 0 0 1\n", "?")),
            "_cell_length_a is missing or no number (input, data_test)");
  EXPECT_NE(refusal_of(read_cif, "data_x\nloop_\n_a\n_b\n1\n").find("can't be read"), std::string::npos);
  EXPECT_NE(refusal_of(read_cif, "nonsense").find("can't be read"), std::string::npos);
}

}  // namespace
}  // namespace tqm::matter
