#include "matter/io/poscar.hpp"

#include <gtest/gtest.h>

#include "matter/io/from_text.hpp"

namespace tqm::matter {
namespace {

Structure poscar(const std::string& text) {
  auto frames = frames_of(read_poscar, text);
  EXPECT_TRUE(frames) << frames.error().message();
  EXPECT_EQ(frames->size(), 1u);
  return frames->at(0);
}

void expect_near(const Vec3& a, const Vec3& b, double within = 1e-12) {
  EXPECT_LT(norm(a - b), within) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(Poscar, OneScaleFactorScalesCellAndCartesianPositions) {
  const Structure s = poscar("salt\n2.0\n1 0 0\n0 2 0\n0 0 3\nNa Cl\n1 1\ncartesian\n0 0 0\n.5 .5D0 5e-1\n");
  EXPECT_EQ(s.name, "salt");
  EXPECT_EQ(s.cell[2].z, 6);
  expect_near(s.positions[1], {1, 1, 1});
  EXPECT_EQ(s.numbers, (std::vector<int>{11, 17}));
}

TEST(Poscar, ANegativeScaleIsTheCellsVolume) {
  const Structure s = poscar("x\n-64\n1 0 0\n0 1 0\n0 0 1\nCu\n1\nK\n0.5 0.5 0.5\n");
  EXPECT_NEAR(volume(s), 64, 1e-12);
  expect_near(s.positions[0], {2, 2, 2});
}

TEST(Poscar, ThreeScaleFactorsScaleEachDirection) {
  const Structure s = poscar("x\n2 3 4\n1 1 0\n0 1 0\n0 0 1\nCu\n1\nCart\n1 1 1\n");
  expect_near(s.cell[0], {2, 3, 0});
  expect_near(s.positions[0], {2, 3, 4});
}

TEST(Poscar, AnythingButCAndKIsDirect) {
  for (const char* word : {"Direct", "direct", "Fractional", "d"}) {
    const Structure s = poscar("x\n1\n4 0 0\n0 4 0\n0 0 4\nCu\n1\n" + std::string(word) + "\n.25 .5 .75\n");
    expect_near(s.positions[0], {1, 2, 3});
  }
}

TEST(Poscar, Vasp4TakesTheSpeciesOfTheFirstLineOrRefuses) {
  const Structure s = poscar("Li P S\n1\n4 0 0\n0 4 0\n0 0 4\n1 1 1\nDirect\n0 0 0\n.2 0 0\n.4 0 0\n");
  EXPECT_EQ(s.numbers, (std::vector<int>{3, 15, 16}));
  EXPECT_EQ(refusal_of(read_poscar, "my crystal\n1\n4 0 0\n0 4 0\n0 0 4\n1 1 1\nDirect\n0 0 0\n.2 0 0\n.4 0 0\n"),
            "this is VASP 4's form, without a line of species, and the first line does not name them either (input:6)");
}

TEST(Poscar, SpeciesMayRepeatAndCarryATail) {
  const Structure s =
      poscar("x\n1\n4 0 0\n0 4 0\n0 0 4\nLi_sv O_s/1f2a Li_sv\n1 1 2\nDirect\n0 0 0\n.2 0 0\n.4 0 0\n.6 0 0\n");
  EXPECT_EQ(s.numbers, (std::vector<int>{3, 8, 3, 3}));
}

TEST(Poscar, SelectiveDynamicsAreKept) {
  const Structure s =
      poscar("x\n1\n4 0 0\n0 4 0\n0 0 4\nLi\n2\nSelective\nDirect\n0 0 0 T F T\n.5 0 0 .FALSE. .TRUE. F Li\n");
  EXPECT_EQ(s.movable[0], (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(s.movable[1], (std::array<bool, 3>{false, true, false}));
  EXPECT_EQ(refusal_of(read_poscar, "x\n1\n4 0 0\n0 4 0\n0 0 4\nLi\n1\nS\nDirect\n0 0 0\n"),
            "selective dynamics: three flags, T or F, should follow the position (input:10)");
}

TEST(Poscar, VelocitiesFollowAnEmptyLineInAngstromPerFemtosecond) {
  const std::string head = "x\n1\n4 0 0\n0 4 0\n0 0 4\nLi\n2\nDirect\n0 0 0\n.5 0 0\n";
  EXPECT_EQ(poscar(head + "\n0.01 0 0\n-0.01 0 0\n\n1\n0.5\n").velocities.at(1).x, -0.01);
  EXPECT_TRUE(poscar(head + "\n").velocities.empty());
  EXPECT_TRUE(poscar(head + "\n\n").velocities.empty());
  const Structure s =
      poscar(head + "Lattice velocities and vectors\n1\n0 0 0\n0 0 0\n0 0 0\n4 0 0\n0 4 0\n0 0 4\n\n0 1 0\n0 2 0\n");
  EXPECT_EQ(s.velocities.at(1).y, 2);
  EXPECT_EQ(refusal_of(read_poscar, head + "\n0 0 0\n"), "the velocities end after 1 of 2 atoms (input:12)");
  EXPECT_EQ(refusal_of(read_poscar, head + "Direct\n0 0 0\n0 0 0\n"),
            "velocities in lattice vectors a time step, whose length is not in the file (input:13)");
}

TEST(Poscar, RefusesWithTheLine) {
  EXPECT_EQ(refusal_of(read_poscar, ""), "the file ends where a comment should stand (input:0)");
  EXPECT_EQ(refusal_of(read_poscar, "x\n0\n"),
            "the second line should be the scale: a number that is not zero (input:2)");
  EXPECT_EQ(refusal_of(read_poscar, "x\n1\n1 0 0\n0 1\n"),
            "a lattice vector should be 3 numbers, and 2 words stand there (input:4)");
  EXPECT_EQ(refusal_of(read_poscar, "x\n1\n1 0 0\n0 ***** 0\n"), "a lattice vector: ***** is no number (input:4)");
  EXPECT_EQ(refusal_of(read_poscar, "x\n1\n1 0 0\n2 0 0\n0 0 1\nLi\n1\nD\n0 0 0\n"),
            "the lattice vectors span no volume (input)");
  EXPECT_EQ(refusal_of(read_poscar, "x\n1\n1 0 0\n0 1 0\n0 0 1\nLi Qq\n1 1\n"),
            "the species line names something that is no element (input:6)");
  EXPECT_EQ(refusal_of(read_poscar, "x\n1\n1 0 0\n0 1 0\n0 0 1\nLi O\n1\n"),
            "2 species are named, and here should stand as many counts (input:7)");
  EXPECT_EQ(refusal_of(read_poscar, "x\n1\n1 0 0\n0 1 0\n0 0 1\nLi\n1 2\n"),
            "there are more counts than the 1 species (input:7)");
  EXPECT_EQ(refusal_of(read_poscar, "x\n1\n1 0 0\n0 1 0\n0 0 1\nLi\n3\nD\n0 0 0\n"),
            "the file ends where the position of atom 2 of 3 should stand (input:9)");
}

TEST(Xdatcar, HasOneCellOrACellForEachFrame) {
  const std::string head = "x\n1\n4 0 0\n0 4 0\n0 0 4\nLi O\n1 1\n";
  const std::string frame = "0 0 0\n.5 .5 .5\n";
  auto frames =
      frames_of(read_xdatcar, head + "Direct configuration=     1\n" + frame + "Direct configuration=    11\n" + frame);
  ASSERT_TRUE(frames) << frames.error().message();
  ASSERT_EQ(frames->size(), 2u);
  EXPECT_EQ(frames->at(1).notes.at("step"), "11");
  frames = frames_of(read_xdatcar, head + "Direct configuration= 1\n" + frame +
                                       "x\n1\n8 0 0\n0 4 0\n0 0 4\nLi O\n1 1\nDirect configuration= 2\n" + frame);
  ASSERT_TRUE(frames) << frames.error().message();
  EXPECT_EQ(frames->at(1).positions[1].x, 4);
  EXPECT_EQ(refusal_of(read_xdatcar, head + "Direct\n" + frame), "`Direct configuration=` should stand here (input:8)");
  EXPECT_EQ(refusal_of(read_xdatcar, head + "Direct configuration= 1\n0 0 0\n"),
            "the file ends where a position should stand (input:9)");
}

}  // namespace
}  // namespace tqm::matter
