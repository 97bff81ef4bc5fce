#include "matter/clean/clean.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "matter/io/write.hpp"

namespace tqm::matter {
namespace {

Structure fluoride(uint64_t seed, double rattle = 0.05) {
  Random random(seed);
  Structure s;
  s.cell = Mat3::identity() * 4.03;
  for (const Vec3& f : {Vec3{0, 0, 0}, Vec3{0, .5, .5}, Vec3{.5, 0, .5}, Vec3{.5, .5, 0}}) {
    for (int number : {3, 9}) {
      s.numbers.push_back(number);
      s.positions.push_back((number == 3 ? f : f + Vec3{.5, .5, .5}) * s.cell +
                            Vec3{random.normal(), random.normal(), random.normal()} * rattle);
      s.forces.push_back({});
    }
  }
  s.forces[0].x = .5 + random.uniform() / 10;
  s.forces[1].x = -s.forces[0].x;
  s.energy = -38 + random.normal() / 50;
  return s;
}

std::string faults(const Structure& s) {
  std::vector<Finding> findings;
  judge(s, 1, {}, findings);
  std::string text;
  for (const Finding& finding : findings)
    text += std::string(text.empty() ? "" : "; ") + std::string(name(finding.fault)) + ": " + finding.text;
  return text;
}

TEST(Judge, AGoodStructureHasNoFault) {
  EXPECT_EQ(faults(fluoride(1)), "");
}

TEST(Judge, ImpossibleDistancesAreNamed) {
  Structure s = fluoride(1, 0);
  s.positions[1] = s.positions[0] + Vec3{0, 0, .8};
  EXPECT_EQ(faults(s), "distance: atoms 1 (Li) and 2 (F) are 0.800 Å apart, 0.43 times the sum of their radii");
  s.occupancies.assign(8, 1.0);
  s.occupancies[0] = s.occupancies[1] = .5;  // the one or the other
  EXPECT_EQ(faults(s), "");
}

TEST(Judge, UnitSlipsAreNamed) {
  Structure s = fluoride(1, 0);
  s.positions = fractional_positions(s);
  EXPECT_NE(faults(s).find("unit: fractional coordinates stand where Cartesian ones should"), std::string::npos);
  s = fluoride(1, 0);
  s.cell = s.cell * (1 / kBohr);
  for (Vec3& p : s.positions) p *= 1 / kBohr;
  EXPECT_EQ(faults(s),
            "unit: lengths look like bohr taken for Å: neighbours are 2.06 times the sum of their radii apart");
  s = fluoride(1, 0);
  s.cell = s.cell * kBohr;
  for (Vec3& p : s.positions) p *= kBohr;
  EXPECT_NE(faults(s).find("unit: lengths look like Å taken for bohr"), std::string::npos);
  s = fluoride(1);
  s.stress = Stress{-12, 0, 0, 0, 0, 0};  // kbar
  EXPECT_EQ(faults(s), "unit: a stress of -1923 GPa: was it given in kbar, GPa or as a virial?");
  s = fluoride(1);
  s.velocities.assign(8, {5, 0, 0});  // Å/ps
  EXPECT_NE(faults(s).find("unit: velocities of"), std::string::npos);
}

TEST(Judge, UnconvergedFramesAreNamed) {
  Structure s = fluoride(1);
  s.converged = false;
  EXPECT_EQ(faults(s), "unconverged: the file says that the frame did not converge");
  s.converged = true;
  s.notes["scf_steps"] = "100";
  EXPECT_EQ(faults(s), "unconverged: 100 steps of the electronic iteration: it ran into its limit");
}

TEST(Judge, ForcesAddUpToZeroAndStayInBounds) {
  Structure s = fluoride(1);
  s.forces[0].x += 4;
  EXPECT_NE(faults(s).find("force: the forces add up to 4.00 eV/Å and not to zero"), std::string::npos);
  s.forces[1].x -= 4;
  s.forces[0].y = 120;
  s.forces[1].y = -120;
  EXPECT_NE(faults(s).find("force: a force of 120.1 eV/Å"), std::string::npos);
}

TEST(Clean, OutliersAndDuplicatesAreFoundAndNothingIsLost) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  std::string text;
  for (uint64_t i = 1; i <= 20; ++i) {
    Structure s = fluoride(i);
    if (i == 7) s.energy = -30;                           // 1 eV/atom off
    if (i == 9) s.forces[0].x = 30, s.forces[1].x = -30;  // 60 times the others'
    if (i == 12) {                                        // frame 3 in another cell, moved
      s = repeated(fluoride(3), {2, 1, 1});
      for (Vec3& p : s.positions) p += Vec3{.3, -.2, 1};
    }
    text += *write_extxyz(s);
  }
  const auto file = folder->path() / "frames.xyz";
  ASSERT_TRUE(write_file_atomic(file, text));
  const auto cleaned = clean({file}, {});
  ASSERT_TRUE(cleaned) << cleaned.error().message();
  std::vector<std::pair<int64_t, Fault>> found;
  for (const Finding& finding : cleaned->findings) found.emplace_back(finding.frame, finding.fault);
  EXPECT_EQ(found,
            (std::vector<std::pair<int64_t, Fault>>{{7, Fault::energy}, {9, Fault::force}, {12, Fault::duplicate}}));
  EXPECT_EQ(cleaned->findings[2].text, "the same crystal as frame 3");
  EXPECT_EQ(cleaned->kept, 17);
  EXPECT_EQ(cleaned->set_aside, 3);
  const auto kept = folder->path() / "kept.xyz", aside = folder->path() / "aside.xyz";
  ASSERT_TRUE(write_parts(*cleaned, {}, kept, aside));
  EXPECT_EQ(read_frames(kept)->size(), 17u);
  const auto others = read_frames(aside);
  ASSERT_TRUE(others);
  EXPECT_EQ(others->at(2).notes.at("faults"), "duplicate: the same crystal as frame 3");
  EXPECT_EQ(others->at(2).notes.at("frame"), "12");
}

TEST(Clean, ATornFileIsJudgedUpToItsTear) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string frame = *write_extxyz(fluoride(1));
  const auto file = folder->path() / "frames.xyz";
  ASSERT_TRUE(write_file_atomic(file, frame + frame.substr(0, frame.size() / 2)));
  auto cleaned = clean({file}, {});
  ASSERT_TRUE(cleaned);
  EXPECT_EQ(cleaned->files[0].frames, 1);
  EXPECT_FALSE(cleaned->files[0].torn.empty());
  ASSERT_TRUE(write_file_atomic(file, frame.substr(0, frame.size() / 2)));
  cleaned = clean({file}, {});
  ASSERT_FALSE(cleaned);
  EXPECT_EQ(cleaned.error().kind, ErrorKind::bad_input);
}

}  // namespace
}  // namespace tqm::matter
