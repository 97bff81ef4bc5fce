#include "matter/io/write.hpp"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/stat.h>
#include <thread>

#include "matter/io/formats.hpp"
#include "matter/io/from_text.hpp"
#include "matter/io/oriented.hpp"

namespace tqm::matter {
namespace {

Structure salt() {
  Structure s;
  s.cell = Mat3::identity() * 4;
  s.numbers = {11, 17, 11};
  s.positions = {{0, 0, 0}, {2, 2, 2}, {1, 1, 1}};
  return s;
}

TEST(Write, PoscarGroupsSpeciesByFirstAppearance) {
  EXPECT_EQ(*write_poscar(salt()),
            "Na2Cl\n1.0\n  4 0 0\n  0 4 0\n  0 0 4\n Na Cl\n 2 1\nDirect\n  0 0 0\n  0.25 0.25 0.25\n  0.5 0.5 0.5\n");
}

TEST(Write, AtomConfigHasFlagsOfMovementAlways) {
  Structure s = salt();
  s.movable.assign(3, {true, true, true});
  s.movable[1] = {false, true, false};
  EXPECT_EQ(
      *write_atom_config(s),
      "3 atoms\n Lattice vector (Angstrom)\n  4 0 0\n  0 4 0\n  0 0 4\n Position (normalized), move_x, move_y, move_z\n"
      "  11 0 0 0 1 1 1\n  17 0.5 0.5 0.5 0 1 0\n  11 0.25 0.25 0.25 1 1 1\n");
}

TEST(Write, LammpsDataHasMassesAndUnits) {
  const std::string text = *write_lammps_data(salt());
  EXPECT_EQ(text.substr(0, text.find('\n')), "Na2Cl, units = metal");
  EXPECT_NE(text.find("1 22.98976928 # Na\n2 35.45 # Cl\n\nAtoms # atomic\n\n1 1 0 0 0\n2 2 2 2 2\n"),
            std::string::npos);
}

TEST(Write, ALeftHandedCellIsNotMirrored) {
  Structure s = salt();
  s.cell = {{Vec3{0, 4, 0}, Vec3{5, 0, 0}, Vec3{0, 1, 6}}};
  s.positions = {{0, 0, 0}, {1, 0, 0}, {.2, 1.5, .7}};
  ASSERT_LT(determinant(s.cell), 0);
  const Structure t = oriented(s);
  ASSERT_GT(determinant(t.cell), 0);
  // The volume that three atoms and a fourth, a lattice vector on, span keeps its sign.
  auto spanned = [](const Structure& x) {
    return determinant({{x.positions[1] - x.positions[0], x.positions[2] - x.positions[0], x.cell[2]}});
  };
  EXPECT_NEAR(spanned(t), -spanned(s), 1e-12);  // the third vector is reversed
}

TEST(Write, PartialOccupanciesAreRefusedWhereTheyWouldBeLost) {
  Structure s = salt();
  s.occupancies = {1, .5, 1};
  for (const Format& format : formats()) {
    if (!format.write || format.name == "cif" || format.name == "extxyz") continue;
    const auto text = format.write(s);
    ASSERT_FALSE(text) << format.name;
    EXPECT_EQ(text.error().what, "atom 2 (Cl) is there only to 0.5: the structure is disordered");
  }
}

TEST(Write, WithoutACellOnlyExtxyzIsWritten) {
  Structure s = salt();
  s.cell = {};
  s.periodic = {false, false, false};
  for (const Format& format : formats()) {
    if (format.write) {
      EXPECT_EQ(format.write(s).ok(), format.name == "extxyz") << format.name;
    }
  }
}

TEST(Write, WhatAFormCantHoldIsNamed) {
  Structure s = salt();
  s.energy = 1;
  s.forces.assign(3, {});
  s.velocities.assign(3, {});
  s.periodic[2] = false;
  EXPECT_EQ(left_out(s, **format_named("poscar")),
            (std::vector<std::string>{"forces", "energy", "directions without periodicity"}));
  EXPECT_TRUE(left_out(s, **format_named("extxyz")).empty());
}

TEST(Write, AFileOfOneStructureTakesNoSecond) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const auto path = folder->path() / "POSCAR";
  {
    auto file = FrameFile::create(path, **format_named("poscar"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(salt()));
    const auto second = file->write(salt());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().what, "the form poscar holds one structure, and there are more");
  }
  EXPECT_FALSE(std::filesystem::exists(path));  // nothing without commit
  EXPECT_EQ(FrameFile::create(path, **format_named("movement")).error().what,
            "the form movement is read and not written");
}

TEST(Formats, AreToldByNameAndByBeginning) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  auto form = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder->path() / name) << text;
    const auto format = format_of_file(folder->path() / name);
    return format ? std::string((*format)->name) : format.error().what;
  };
  EXPECT_EQ(form("CONTCAR.1", ""), "poscar");
  EXPECT_EQ(form("b.XYZ", ""), "extxyz");
  EXPECT_EQ(form("final.config", ""), "atom.config");
  EXPECT_EQ(form("100_1200k_movement", ""), "movement");
  EXPECT_EQ(form("run.lammpstrj", ""), "lammps-dump");
  EXPECT_EQ(form("a", *write_poscar(salt())), "poscar");
  EXPECT_EQ(form("a", *write_extxyz(salt())), "extxyz");
  EXPECT_EQ(form("a", *write_cif(salt())), "cif");
  EXPECT_EQ(form("a", *write_lammps_data(salt())), "lammps-data");
  EXPECT_EQ(form("a", *write_atom_config(salt())), "atom.config");
  EXPECT_EQ(form("a", "ITEM: TIMESTEP\n"), "lammps-dump");
  EXPECT_EQ(form("a", "2 atoms,Iteration (fs) = 1\n"), "movement");
  EXPECT_EQ(form("a", "x\n1\n1 0 0\n0 1 0\n0 0 1\nLi\n1\nDirect configuration= 1\n"), "xdatcar");
  EXPECT_EQ(form("a", "hello\n"), "neither the name nor the beginning of the file tells its form");
  EXPECT_EQ(format_named("qbox").error().what, "no file form is called qbox");
  EXPECT_EQ(format_of_name("out.txt").error().what, "the file's name does not tell its form");
  EXPECT_EQ(format_of_file(folder->path() / "absent.dat").error().kind, ErrorKind::not_found);
}

// A trajectory that never lies on a disk, far larger than what the reader may hold: frames come through a pipe.
TEST(Formats, ReadingHoldsOneFrameHoweverManyThereAre) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  Structure s = salt();
  s.name = std::string(1000, 'x');
  s = repeated(s, {3, 3, 3});
  for (const std::string name : {"extxyz", "xdatcar", "lammps-dump", "movement"}) {
    std::string frame;
    if (name == "extxyz") {
      frame = *write_extxyz(s);
    } else if (name == "xdatcar") {
      frame = *write_poscar(s);
      frame.replace(frame.find("Direct"), 6, "Direct configuration= 1");
    } else if (name == "lammps-dump") {
      frame =
          "ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n81\nITEM: BOX BOUNDS pp pp pp\n0 12\n0 12\n0 12\nITEM: ATOMS id "
          "element x y z\n";
      for (int i = 0; i < 81; ++i) frame += std::to_string(i + 1) + " Li " + std::to_string(i) + ".123456789 0 0\n";
    } else {
      frame = *write_atom_config(s);
      frame.replace(0, frame.find('\n'), "81 atoms,Iteration (fs) = 1.0");
      frame += " -----------------------\n";
    }
    const std::filesystem::path pipe = folder->path() / name;
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const size_t frames = (size_t{48} << 20) / frame.size();
    std::thread writer([&] {
      std::ofstream out(pipe, std::ios::binary);
      for (size_t i = 0; i < frames; ++i) out << frame;
    });
    auto reader = open_frames(pipe, name);
    ASSERT_TRUE(reader);
    size_t read = 0, most = 0, begin = 0;
    while (true) {
      const auto next = (*reader)->next();
      if (!next || !*next) {
        EXPECT_TRUE(next) << next.error().message();
        break;
      }
      if (++read == 1) begin = mallinfo2().uordblks;
      if (read % 100 == 0) most = std::max(most, mallinfo2().uordblks);
    }
    reader->reset();  // a writer that still writes is let go
    writer.join();
    EXPECT_EQ(read, frames) << name;
    EXPECT_LT(most, begin + (size_t{1} << 20)) << name << ": of " << frames * frame.size() << " bytes";
  }
}

}  // namespace
}  // namespace tqm::matter
