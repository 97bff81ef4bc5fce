#include "matter/potential/lennard_jones/lennard_jones.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "matter/potential/laws/laws.hpp"

namespace tqm::matter {
namespace {

Structure triclinic(size_t atoms) {
  Structure structure;
  structure.cell = {{Vec3{3.9, 0.2, -0.4}, Vec3{1.1, 4.3, 0.3}, Vec3{-0.7, 0.9, 5.2}}};
  Random random(5);
  for (size_t i = 0; i < atoms; ++i) {
    structure.numbers.push_back(18);
    const double at = static_cast<double>(i) / static_cast<double>(atoms);
    structure.positions.push_back(Vec3{at + 0.02 * random.uniform(), at, at} * structure.cell);
  }
  return structure;
}

TEST(LennardJones, ObeysTheLawsInSmallTriclinicCells) {
  for (const size_t atoms : {1, 2}) {
    for (const int threads : {1, 2}) {
      LennardJones potential({}, {.threads = threads});
      const Structure structure = triclinic(atoms);
      const laws::Tolerances tolerances{.stress = 1e-7};
      laws::expect_forces_are_differences(potential, structure, tolerances);
      laws::expect_stress_is_differences(potential, structure, tolerances);
      laws::expect_invariances(potential, structure, tolerances);
    }
  }
}

TEST(LennardJones, OfTwoAtomsIsTheFormula) {
  Structure pair;
  pair.periodic = {false, false, false};
  pair.numbers = {18, 18};
  pair.positions = {{0, 0, 0}, {3.4 * std::pow(2, 1.0 / 6), 0, 0}};  // the minimum of the bare curve
  LennardJones potential({.epsilon_ev = 0.0104, .sigma_angstrom = 3.4, .cutoff_angstrom = 100}, {.threads = 1});
  Evaluation out;
  ASSERT_TRUE(potential.evaluate(pair, out).ok());
  EXPECT_NEAR(out.energy, -0.0104, 1e-6);
  EXPECT_NEAR(out.forces[0].x, 0, 1e-5);
  EXPECT_EQ(out.stress, Stress{});
}

TEST(LennardJones, AtomsOnOnePlaceBreakDown) {
  Structure structure = triclinic(1);
  structure.numbers.push_back(18);
  structure.positions.push_back(structure.positions[0]);
  LennardJones potential({}, {.threads = 1});
  Evaluation out;
  const Status status = potential.evaluate(structure, out);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::breakdown);
}

TEST(LennardJones, ParametersAreReadAndRefused) {
  const auto read = parse_lennard_jones("lennard-jones:sigma=2.5,cutoff=6");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->sigma_angstrom, 2.5);
  EXPECT_EQ(read->cutoff_angstrom, 6);
  EXPECT_EQ(read->epsilon_ev, 0.0104);
  EXPECT_EQ(parse_lennard_jones("lennard-jones:sigma=x").error().what, "\"sigma=x\" is no positive number with a name");
  EXPECT_EQ(parse_lennard_jones("lennard-jones:depth=1").error().what, "Lennard-Jones has no parameter \"depth\"");
}

}  // namespace
}  // namespace tqm::matter
