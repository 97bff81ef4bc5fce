#include "matter/io/lammps.hpp"

#include <gtest/gtest.h>

#include "matter/io/from_text.hpp"

namespace tqm::matter {
namespace {

Structure first(std::unique_ptr<FrameReader> (*read)(Lines, const ReadOptions&), const std::string& text,
                const ReadOptions& options = {}) {
  auto frames = frames_of(read, text, options);
  EXPECT_TRUE(frames) << frames.error().message();
  return frames && !frames->empty() ? frames->at(0) : Structure();
}

const std::string kHead =
    "# made for a test\n\n2 atoms\n2 atom types\n\n-1.0 3.0 xlo xhi\n0 5 ylo yhi # a remark\n0 6 zlo zhi\n1.0 0.5 0.25 "
    "xy xz yz\n\n";
const std::string kMasses = "Masses\n\n1 6.941\n2 15.9994 # S\n\n";

TEST(LammpsData, ABoxHasTiltsAndAnOriginThatIsMovedToZero) {
  const Structure s = first(read_lammps_data, kHead + kMasses + "Atoms # atomic\n\n1 1 0 1 2\n2 2 -1 0 0\n");
  EXPECT_EQ(s.cell[0], (Vec3{4, 0, 0}));
  EXPECT_EQ(s.cell[1], (Vec3{1, 5, 0}));
  EXPECT_EQ(s.cell[2], (Vec3{.5, .25, 6}));
  EXPECT_EQ(s.positions[0], (Vec3{1, 1, 2}));
  EXPECT_EQ(s.positions[1], (Vec3{0, 0, 0}));
}

TEST(LammpsData, AtomsAreSortedByIdAndVelocitiesGoWithThem) {
  const Structure s =
      first(read_lammps_data,
            kHead + kMasses + "Atoms # atomic\n\n7 2 2 1 2\n3 1 0 0 0\n\nVelocities\n\n7 1000 0 0\n3 0 2000 0\n");
  EXPECT_EQ(s.numbers, (std::vector<int>{3, 16}));
  EXPECT_EQ(s.velocities[0], (Vec3{0, 2, 0}));  // Å/ps in the file
  EXPECT_EQ(s.velocities[1], (Vec3{1, 0, 0}));
}

TEST(LammpsData, ImageFlagsUnwrap) {
  const Structure s =
      first(read_lammps_data, kHead + kMasses + "Atoms # atomic\n\n1 1 0 1 2 0 1 -1\n2 2 -1 0 0 0 0 0\n");
  EXPECT_EQ(s.positions[0], (Vec3{1 + 1 - .5, 1 + 5 - .25, 2 - 6}));
}

TEST(LammpsData, ARemarkBehindAMassNamesTheElementElseTheMassOrTheOptionDoes) {
  const std::string atoms = "Atoms # atomic\n\n1 1 0 1 2\n2 2 -1 0 0\n";
  EXPECT_EQ(first(read_lammps_data, kHead + kMasses + atoms).numbers, (std::vector<int>{3, 16}));
  ReadOptions options;
  options.types = {11, 17};
  EXPECT_EQ(first(read_lammps_data, kHead + atoms, options).numbers, (std::vector<int>{11, 17}));
  EXPECT_EQ(refusal_of(read_lammps_data, kHead + atoms), "nothing says which element type 1 is (input)");
  EXPECT_EQ(
      first(read_lammps_data, kHead + "Atom Type Labels\n\n1 Na\n2 Cl\n\nAtoms # atomic\n\n1 Na 0 1 2\n2 Cl -1 0 0\n")
          .numbers,
      (std::vector<int>{11, 17}));
}

TEST(LammpsData, StylesAreNamedOrToldByTheirColumns) {
  Structure s = first(read_lammps_data, kHead + kMasses + "Atoms # charge\n\n1 1 0.5 0 1 2\n2 2 -0.5 -1 0 0\n");
  EXPECT_EQ(s.charges, (std::vector<double>{.5, -.5}));
  s = first(read_lammps_data, kHead + kMasses + "Atoms\n\n1 1 1 0.5 0 1 2\n2 1 2 -0.5 -1 0 0\n");
  EXPECT_EQ(s.charges, (std::vector<double>{.5, -.5}));
  s = first(read_lammps_data, kHead + kMasses + "Atoms  # molecular\n\n1 1 1 0 1 2\n2 1 2 -1 0 0\n");
  EXPECT_EQ(s.positions[0], (Vec3{1, 1, 2}));
  EXPECT_EQ(refusal_of(read_lammps_data, kHead + kMasses + "Atoms\n\n1 1 0.5 0 1 2\n2 2 -0.5 -1 0 0\n"),
            "the atom style can't be told from the columns (input:18)");
  EXPECT_EQ(refusal_of(read_lammps_data, kHead + kMasses + "Atoms # sphere\n\n"),
            "the atom style sphere is not read (input:16)");
}

TEST(LammpsData, UnitsAreTheFilesOwn) {
  const std::string body = kHead.substr(kHead.find('\n')) + kMasses +
                           "Atoms # atomic\n\n1 1 0 1 2\n2 2 -1 0 0\n\nVelocities\n\n1 1 0 0\n2 0 0 0\n";
  EXPECT_EQ(
      first(read_lammps_data, "LAMMPS data file via write_data, timestep = 0, units = real" + body).velocities[0].x, 1);
  EXPECT_EQ(first(read_lammps_data, "LAMMPS data file" + body).velocities[0].x, 1e-3);
  EXPECT_EQ(refusal_of(read_lammps_data, "LAMMPS data file, units = lj" + body),
            "LAMMPS's units lj are not read (input:1)");
}

TEST(LammpsData, RefusesWhatIsNotWhole) {
  EXPECT_EQ(refusal_of(read_lammps_data, kHead + kMasses), "the file has no section Atoms (input)");
  EXPECT_EQ(refusal_of(read_lammps_data, kHead + kMasses + "Atoms # atomic\n\n1 1 0 1 2\n"),
            "the section Atoms has 1 lines, and the header says 2 atoms (input:18)");
  EXPECT_EQ(refusal_of(read_lammps_data, kHead + kMasses + "Atoms # atomic\n\n1 1 0 1 2\n1 1 0 1 2\n"),
            "the atom 1 stands twice (input)");
  EXPECT_EQ(refusal_of(read_lammps_data, kHead + kMasses + "Atoms # atomic\n\n1 9 0 1 2\n"),
            "9 is no atom type: the header says 2 (input:18)");
}

const std::string kStep = "ITEM: TIMESTEP\n100\nITEM: NUMBER OF ATOMS\n2\n";

TEST(LammpsDump, TheBoundsOfATiltedBoxAreItsBoundingBox) {
  // a = (4,0,0), b = (1,5,0), c = (-2,-1,6), origin (10, 20, 30): the box reaches in x from -2 to 5, in y from -1 to 5.
  const Structure s = first(read_lammps_dump, kStep +
                                                  "ITEM: BOX BOUNDS xy xz yz pp pp ff\n8 15 1\n19 25 -2\n30 36 -1\n"
                                                  "ITEM: ATOMS id element x y z\n1 Li 11 21 31\n2 O 10 20 30\n");
  EXPECT_EQ(s.cell[0], (Vec3{4, 0, 0}));
  EXPECT_EQ(s.cell[1], (Vec3{1, 5, 0}));
  EXPECT_EQ(s.cell[2], (Vec3{-2, -1, 6}));
  EXPECT_EQ(s.positions[0], (Vec3{1, 1, 1}));
  EXPECT_EQ(s.periodic, (std::array<bool, 3>{true, true, false}));
}

TEST(LammpsDump, PositionsMayBeScaledOrUnwrapped) {
  const std::string box = kStep + "ITEM: BOX BOUNDS pp pp pp\n1 5\n0 5\n0 6\nITEM: ATOMS id element ";
  const Vec3 wanted = {5, 2.5, -1.5};  // one cell on along x
  EXPECT_EQ(first(read_lammps_dump, box + "xu yu zu\n1 Li 6 2.5 -1.5\n2 O 1 0 0\n").positions[0], wanted);
  EXPECT_EQ(first(read_lammps_dump, box + "xsu ysu zsu\n1 Li 1.25 .5 -.25\n2 O 0 0 0\n").positions[0], wanted);
  EXPECT_EQ(first(read_lammps_dump, box + "x y z ix iy iz\n1 Li 2 2.5 4.5 1 0 -1\n2 O 1 0 0 0 0 0\n").positions[0],
            wanted);
  EXPECT_EQ(first(read_lammps_dump, box + "xs ys zs ix iy iz\n1 Li .25 .5 .75 1 0 -1\n2 O 0 0 0 0 0 0\n").positions[0],
            wanted);
}

TEST(LammpsDump, AtomsAreSortedByIdInEveryFrame) {
  const std::string box = "ITEM: BOX BOUNDS pp pp pp\n0 4\n0 5\n0 6\nITEM: ATOMS id element x y z fx fy fz q\n";
  const auto frames = frames_of(read_lammps_dump, kStep + box + "1 Li 0 0 0 1 1 1 .5\n2 O 1 1 1 2 2 2 -.5\n" + kStep +
                                                      box + "2 O 1 1 1 2 2 2 -.5\n1 Li 0 0 0 1 1 1 .5\n");
  ASSERT_TRUE(frames) << frames.error().message();
  ASSERT_EQ(frames->size(), 2u);
  EXPECT_EQ(frames->at(1).numbers, frames->at(0).numbers);
  EXPECT_EQ(frames->at(1).forces, frames->at(0).forces);
  EXPECT_EQ(frames->at(1).charges, (std::vector<double>{.5, -.5}));
}

TEST(LammpsDump, UnitsScaleForcesVelocitiesAndTimes) {
  const std::string rest = kStep +
                           "ITEM: BOX BOUNDS pp pp pp\n0 4\n0 5\n0 6\nITEM: ATOMS id mass x y z vx vy vz fx fy fz\n"
                           "1 6.94 0 0 0 1 0 0 1 0 0\n2 16 1 1 1 0 0 0 0 0 0\n";
  Structure s = first(read_lammps_dump, "ITEM: UNITS\nreal\nITEM: TIME\n250\n" + rest);
  EXPECT_EQ(s.velocities[0].x, 1);
  EXPECT_NEAR(s.forces[0].x, 0.0433641, 1e-7);
  EXPECT_EQ(*s.time, 250);
  s = first(read_lammps_dump, "ITEM: UNITS\nmetal\nITEM: TIME\n0.25\n" + rest);
  EXPECT_EQ(s.velocities[0].x, 1e-3);
  EXPECT_EQ(s.forces[0].x, 1);
  EXPECT_EQ(*s.time, 250);
  EXPECT_EQ(s.numbers, (std::vector<int>{3, 8}));
  EXPECT_EQ(refusal_of(read_lammps_dump, "ITEM: UNITS\nlj\n" + rest), "LAMMPS's units lj are not read (input:11)");
}

TEST(LammpsDump, RefusesWithTheLine) {
  const std::string box = kStep + "ITEM: BOX BOUNDS pp pp pp\n0 4\n0 5\n0 6\nITEM: ATOMS ";
  EXPECT_EQ(refusal_of(read_lammps_dump, "hello\n"), "a line `ITEM: …` should stand here (input:1)");
  EXPECT_EQ(refusal_of(read_lammps_dump, kStep), "the file ends within a frame (input:4)");
  EXPECT_EQ(refusal_of(read_lammps_dump, box + "id type x y z\n1 1 0 0 0\n2 1 1 1 1\n"),
            "no column says which element an atom is (input:9)");
  EXPECT_EQ(refusal_of(read_lammps_dump, box + "id element x y\n1 Li 0 0\n"),
            "the columns hold no positions: x y z, xu yu zu, xs ys zs or xsu ysu zsu (input:9)");
  EXPECT_EQ(refusal_of(read_lammps_dump, box + "id element x y z\n1 Li 0 0 0\n1 Li 1 1 1\n"),
            "the atom 1 stands twice (input:11)");
  EXPECT_EQ(refusal_of(read_lammps_dump, box + "id element x y z\n1 Li 0 0 0\n"),
            "the file ends where atom 2 of 2 should stand (input:10)");
  EXPECT_EQ(refusal_of(read_lammps_dump, "ITEM: TIMESTEP\n0\nITEM: ATOMS id element x y z\n"),
            "the box and the number of atoms should stand before the atoms (input:3)");
}

}  // namespace
}  // namespace tqm::matter
