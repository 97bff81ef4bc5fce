#include "matter/io/extxyz.hpp"

#include <gtest/gtest.h>

#include "matter/io/from_text.hpp"

namespace tqm::matter {
namespace {

Structure frame(const std::string& text) {
  auto frames = frames_of(read_extxyz, text);
  EXPECT_TRUE(frames) << frames.error().message();
  return frames ? frames->at(0) : Structure();
}

const std::string kCell = "Lattice=\"2 0 0 0 4 0 0 0 5\" ";

TEST(Extxyz, LatticeIsRowsAndColumnsGoByTheirNames) {
  const Structure s = frame(
      "2\nLattice=\"1 2 3 0 5 6 0 0 9\" Properties=id:I:1:species:S:1:forces:R:3:pos:R:3 energy=-1.5 pbc=\"T F T\"\n"
      "1 Li .1 .2 .3 1 2 3\n2 O -.1 -.2 -.3 4 5 6\n");
  EXPECT_EQ(s.cell[0], (Vec3{1, 2, 3}));
  EXPECT_EQ(s.positions[1], (Vec3{4, 5, 6}));
  EXPECT_EQ(s.forces[0], (Vec3{.1, .2, .3}));
  EXPECT_EQ(*s.energy, -1.5);
  EXPECT_EQ(s.periodic, (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(s.notes.at("columns_left_out"), "id");
}

TEST(Extxyz, StressOfNineOrSixNumbersIsPositiveInTension) {
  const std::string end = " Properties=species:S:1:pos:R:3\nLi 0 0 0\n";
  const Stress wanted = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(frame("1\n" + kCell + "stress=\"1 6 5 6 2 4 5 4 3\"" + end).stress, wanted);
  EXPECT_EQ(frame("1\n" + kCell + "stress=\"1 2 3 4 5 6\"" + end).stress, wanted);
  EXPECT_EQ(frame("1\n" + kCell + "stress=[[1,6,5],[6,2,4],[5,4,3]]" + end).stress, wanted);
  EXPECT_EQ(refusal_of(read_extxyz, "1\n" + kCell + "stress=\"1 2 3\"" + end),
            "stress has 3 numbers: nine or Voigt's six are known (input:3)");
}

TEST(Extxyz, AVirialIsMinusVolumeTimesStress) {
  const Structure s =
      frame("1\n" + kCell + "virial=\"-40 0 0 0 -80 0 0 0 -120\" Properties=species:S:1:pos:R:3\nLi 0 0 0\n");
  EXPECT_EQ(*s.stress, (Stress{1, 2, 3, 0, 0, 0}));  // V = 40 Å³
  EXPECT_EQ(refusal_of(read_extxyz, "1\nvirial=\"1 0 0 0 1 0 0 0 1\" Properties=species:S:1:pos:R:3\nLi 0 0 0\n"),
            "a virial is given, and no cell to make a stress of it (input:3)");
}

TEST(Extxyz, EnergyHasSeveralNamesAndTheNamedOneWins) {
  const std::string end = " Properties=species:S:1:pos:R:3\nLi 0 0 0\n";
  EXPECT_EQ(*frame("1\n" + kCell + "free_energy=-3" + end).energy, -3);
  EXPECT_EQ(*frame("1\n" + kCell + "REF_energy=-4" + end).energy, -4);
  const Structure s = frame("1\n" + kCell + "free_energy=-3 energy=-2" + end);
  EXPECT_EQ(*s.energy, -2);
  EXPECT_EQ(s.notes.at("free_energy"), "-3");
  EXPECT_FALSE(frame("1\n" + kCell + end).energy);
  EXPECT_EQ(refusal_of(read_extxyz, "1\n" + kCell + "energy=low" + end), "the energy low is no number (input:3)");
}

TEST(Extxyz, VelocitiesAreGpumdsOrAses) {
  const std::string head = "1\n" + kCell + "Properties=species:S:1:pos:R:3:";
  EXPECT_EQ(frame(head + "vel:R:3\nLi 0 0 0 1 0 0\n").velocities[0].x, 1);
  // 1 Å/(Å·√(u/eV)) is 0.0982269 Å/fs.
  EXPECT_NEAR(frame(head + "velocities:R:3\nLi 0 0 0 1 0 0\n").velocities[0].x, 0.09822694788, 1e-9);
  EXPECT_NEAR(frame(head + "momenta:R:3\nLi 0 0 0 6.94 0 0\n").velocities[0].x, 0.09822694788, 1e-9);
}

TEST(Extxyz, ReadsFrameAfterFrameAndPlainXyz) {
  const auto frames =
      frames_of(read_extxyz, "1\nwater, nearly\r\nO 0 0 0\r\n2\n" + kCell + "\nLi 0 0 0\nCl 1 1 1\n\n\n");
  ASSERT_TRUE(frames) << frames.error().message();
  ASSERT_EQ(frames->size(), 2u);
  EXPECT_EQ(frames->at(0).name, "water, nearly");
  EXPECT_FALSE(frames->at(0).periodic[0]);
  EXPECT_EQ(frames->at(1).numbers[1], 17);
  EXPECT_TRUE(frames->at(1).periodic[2]);
}

TEST(Extxyz, MasksChargesMomentsAndNotesAreKept) {
  const Structure s =
      frame("1\n" + kCell +
            "Properties=Z:I:1:pos:R:3:move_mask:L:1:charges:R:1:magmoms:R:1 config_type=\"a \\\"b\\\" c\" "
            "time=12.5 converged=F\n26 0 0 0 F 2.5 -1.5\n");
  EXPECT_EQ(s.numbers[0], 26);
  EXPECT_EQ(s.movable[0], (std::array<bool, 3>{false, false, false}));
  EXPECT_EQ(s.charges[0], 2.5);
  EXPECT_EQ(s.magnetic_moments[0], -1.5);
  EXPECT_EQ(s.notes.at("config_type"), "a \"b\" c");
  EXPECT_EQ(*s.time, 12.5);
  EXPECT_FALSE(*s.converged);
}

TEST(Extxyz, RefusesWithTheLine) {
  EXPECT_EQ(refusal_of(read_extxyz, "two\n\n"), "the number of atoms should stand alone on this line (input:1)");
  EXPECT_EQ(refusal_of(read_extxyz, "2\n\nLi 0 0 0\n"), "the file ends where atom 2 of 2 should stand (input:3)");
  EXPECT_EQ(refusal_of(read_extxyz, "1\n\nLi 0 0\n"), "atom 1 of 1 should have 4 columns and has 3 (input:3)");
  EXPECT_EQ(refusal_of(read_extxyz, "1\n\nQq 0 0 0\n"), "Qq is no element (input:3)");
  EXPECT_EQ(refusal_of(read_extxyz, "1\n\nLi 0 nan 0\n"), "pos of atom 1: nan is no number (input:3)");
  EXPECT_EQ(refusal_of(read_extxyz, "1\nProperties=species:S\nLi\n"),
            "Properties should be groups of name:type:columns (input:2)");
  EXPECT_EQ(refusal_of(read_extxyz, "1\nProperties=pos:R:3\n0 0 0\n"),
            "Properties names no species and no atomic numbers (input:2)");
  EXPECT_EQ(refusal_of(read_extxyz, "1\nProperties=species:S:1\nLi\n"), "Properties names no pos (input:2)");
  EXPECT_EQ(refusal_of(read_extxyz, "1\nLattice=\"1 0 0 1\"\nLi 0 0 0\n"),
            "Lattice has 4 numbers and should have nine (input:2)");
  EXPECT_EQ(refusal_of(read_extxyz, "1\nLattice=\"1 0 0 2 0 0 0 0 1\"\nLi 0 0 0\n"),
            "the lattice vectors span no volume (input:2)");
}

}  // namespace
}  // namespace tqm::matter
