#include "matter/io/pwmat.hpp"

#include <gtest/gtest.h>

#include "matter/io/from_text.hpp"

namespace tqm::matter {
namespace {

// A frame as PWmat writes one in a run of Velocity Verlet, made up for this test: LiH in a cell of 4 × 5 × 6 Å.
std::string frame(const std::string& force_header = "Force (-force, eV/Angstrom)", const std::string& stress = "") {
  return std::string(
             "  2 atoms,Iteration (fs) =    0.2500000000E+01, Etot,Ep,Ek (eV) =   -0.1000000000E+02  -0.1050000000E+02 "
             "  "
             "0.5000000000E+00, SCF =     7\n"
             " MD_INFO: METHOD(1-VV,2-NH,3-LV,4-LVPR,5-NHRP) TIME(fs) TEMP(K) DESIRED_TEMP(K)\n"
             "              1    0.2500000000E+01   0.12454D+04   0.12000E+04\n"
             "     MD_VV_INFO: Basic Velocity Verlet Dynamics (NVE), Initialized total energy(Hartree)\n"
             "              -0.5569E+03\n"
             " Lattice vector (Angstrom)\n"
             "   0.4000000000E+01    0.0000000000E+00    0.0") +
         (stress.empty() ? "" : "     stress (eV):  0.12E+02  .6 0.0") + "\n   0.0    0.5000000000D+01    0.0" +
         (stress.empty() ? "" : "     stress (eV):  .6 0.24E+02  0.0") + "\n   0.0 0.0    0.6E+01" +
         (stress.empty() ? "" : "     stress (eV):  0.0 0.0 -.36D+02") + "\n" + stress +
         " Position (normalized), move_x, move_y, move_z\n"
         "   3         .25 0.5 0.999     1  1  1\n"
         "   1         0.75 0.5 0.001     1  1  0\n"
         " nonperiodic_Position (normalized), move_x, move_y, move_z\n"
         "   3         1.25 0.5 0.999     1  1  1\n"
         "   1         0.75 0.5 1.001     1  1  1\n " +
         force_header +
         "\n   3   0.1D+00 -0.2 0.0\n"
         "   1   -0.1 0.2 0.0\n"
         " Velocity (bohr/fs)\n"
         "   3   0.01 0.0 0.0\n"
         "   1   -0.07 0.0 0.0\n"
         " Atomic-Energy, Etot(eV),E_nonloc(eV),Q_atom:dE(eV)=   0.1E+01\n"
         "   3   -0.1 0.2 0.3 0.4\n"
         "   1   -0.1 0.2 0.3 0.4\n"
         " -------------------------------------------------\n";
}

Structure movement(const std::string& text, const ReadOptions& options = {}) {
  auto frames = frames_of(read_movement, text, options);
  EXPECT_TRUE(frames) << frames.error().message();
  return frames && !frames->empty() ? frames->at(0) : Structure();
}

TEST(Movement, ForcesAreMinusWhatTheFileHoldsUnderBothHeaders) {
  for (const char* header : {"Force (-force, eV/Angstrom)", "Force (eV/Angstrom)"}) {
    const Structure s = movement(frame(header));
    EXPECT_EQ(s.forces.at(0), (Vec3{-.1, .2, 0}));
    EXPECT_EQ(s.forces.at(1), (Vec3{.1, -.2, 0}));
  }
}

TEST(Movement, TheEnergyIsEpAndNotEtot) {
  EXPECT_EQ(*movement(frame()).energy, -10.5);
  EXPECT_EQ(*movement(frame()).time, 2.5);
  EXPECT_EQ(movement(frame()).notes.at("scf_steps"), "7");
}

TEST(Movement, NonperiodicPositionsDoNotDoubleTheAtoms) {
  const Structure s = movement(frame());
  EXPECT_EQ(s.size(), 2u);
  EXPECT_LT(norm(s.positions[0] - Vec3{1, 2.5, 5.994}), 1e-12);
}

TEST(Movement, VelocitiesAreBohrAndVelocityVerletIsNoBlock) {
  const Structure s = movement(frame());
  ASSERT_EQ(s.velocities.size(), 2u);
  EXPECT_DOUBLE_EQ(s.velocities[0].x, 0.01 * 0.529177210903);
}

TEST(Movement, StressIsVolumeTimesTensionUnlessSaidOtherwise) {
  // The pressure of the same frame, −stress/V, in Hartree/bohr³: 12 eV / 120 Å³ = 0.1 eV/Å³.
  const std::string pressure =
      " Pressure Internal(Hartree/bohr^3)\n -5.4457e-04 -2.7e-5 0\n -2.7e-5 -1.0891e-03 0\n 0 0 1.6337e-03\n";
  Structure s = movement(frame("Force (-force, eV/Angstrom)", pressure));
  const Stress wanted = {.1, .2, -.3, 0, 0, .005};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(s.stress->at(i), wanted[i], 1e-15);
  EXPECT_EQ(s.notes.at("pwmat_stress_ev"), "12 0.6 0 0.6 24 0 0 0 -36");
  EXPECT_EQ(s.notes.at("pwmat_pressure_internal_hartree_per_bohr3").substr(0, 11), "-0.00054457");
  const double hartree_per_bohr3 = kHartree / (kBohr * kBohr * kBohr);
  EXPECT_NEAR(s.stress->at(0), 5.4457e-4 * hartree_per_bohr3, 1e-5);
  ReadOptions inverted;
  inverted.stress_is_pressure = true;
  s = movement(frame("Force (-force, eV/Angstrom)", pressure), inverted);
  EXPECT_NEAR(s.stress->at(2), .3, 1e-15);
  EXPECT_FALSE(movement(frame()).stress);
}

TEST(Movement, HeldAtomsAreKept) {
  const Structure s = movement(frame());
  EXPECT_EQ(s.movable.at(1), (std::array<bool, 3>{true, true, false}));
}

TEST(Movement, ReadsFrameAfterFrameWithAndWithoutDashes) {
  std::string bare = frame();
  bare.erase(bare.find(" ----"));
  auto frames = frames_of(read_movement, frame() + bare + frame() + " ------------------END\n");
  ASSERT_TRUE(frames) << frames.error().message();
  EXPECT_EQ(frames->size(), 3u);
}

TEST(Movement, ARelaxationHasEtotAlone) {
  std::string text = frame();
  text.replace(0, text.find('\n'), " 2 atoms,Iteration =   4, Etot = -0.5D+02, Average Force= 0.1E-01, Max force= 0.2");
  const Structure s = movement(text);
  EXPECT_EQ(*s.energy, -50);
  EXPECT_FALSE(s.time);
}

TEST(Movement, RefusesWithTheLine) {
  std::string text = frame();
  EXPECT_EQ(refusal_of(read_movement, "hello\n"), "a frame should begin with the number of atoms (input:1)");
  EXPECT_EQ(refusal_of(read_movement, text.substr(0, text.find("   1         0.75"))),
            "the file ends where the position of atom 2 of 2 should stand (input:11)");
  EXPECT_EQ(refusal_of(read_movement, text.substr(0, text.find(" Position"))), "the frame has no positions (input:1)");
  std::string other = text;
  other.replace(other.find("   1   -0.1 0.2 0.0"), 4, "   8");
  EXPECT_EQ(refusal_of(read_movement, other),
            "the force of atom 2 is of species 8, and its position of species 1 (input:18)");
  other = text;
  other.replace(other.find("0.2 0.0"), 3, "***");
  EXPECT_EQ(refusal_of(read_movement, other), "force: -*** is no number (input:17)");
}

TEST(AtomConfig, ReadsBlocksInAnyOrderAndAnyCase) {
  const auto frames =
      frames_of(read_atom_config,
                " 2\nposition\n 26 0 0 0\n 8 .5 .5 .5\nMAGNETIC\n 26 4.5\n 8 0.1\n Weight_atom\n 26 1\n 8 1\n"
                "LATTICE\n 4 0 0 0 0 0\n 0 4 0\n 0 0 4\nSTRESS_MASK\n 1 0 0\n 0 1 0\n 0 0 1\n");
  ASSERT_TRUE(frames) << frames.error().message();
  ASSERT_EQ(frames->size(), 1u);
  const Structure& s = frames->at(0);
  EXPECT_EQ(s.positions[1], (Vec3{2, 2, 2}));
  EXPECT_EQ(s.magnetic_moments, (std::vector<double>{4.5, .1}));
  EXPECT_TRUE(s.movable.empty());
  EXPECT_EQ(refusal_of(read_atom_config, "1\nPOSITION\n 3 0 0 0\n"), "the frame has no lattice (input:1)");
  EXPECT_EQ(refusal_of(read_atom_config, "1\nPOSITION\n Li 0 0 0\n"),
            "the position of atom 1 should begin with an atomic number (input:3)");
}

}  // namespace
}  // namespace tqm::matter
