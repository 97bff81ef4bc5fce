#include "matter/dynamics/dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "matter/dynamics/velocities.hpp"
#include "matter/potential/lennard_jones/lennard_jones.hpp"

namespace tqm::matter {
namespace {

// Argon at this temperature: n × n × n cells of four atoms.
Structure argon(int n, double temperature_k, uint64_t seed) {
  Structure cell;
  cell.cell = Mat3::identity() * 5.4;
  cell.numbers = {18, 18, 18, 18};
  cell.positions = {{0, 0, 0}, {2.7, 2.7, 0}, {2.7, 0, 2.7}, {0, 2.7, 2.7}};
  Structure structure = repeated(cell, {n, n, n});
  Random random(seed);
  draw_velocities(structure, temperature_k, random);
  return structure;
}

void run(Dynamics& dynamics, int steps) {
  for (int i = 0; i < steps; ++i) {
    const Status status = dynamics.step();
    ASSERT_TRUE(status.ok()) << status.error().message();
  }
}

// Root mean square of the conserved energy about its mean, eV, over the same time whatever the step.
double energy_rms(double timestep_fs) {
  LennardJones potential({.cutoff_angstrom = 6}, {.threads = 1});
  auto dynamics = Dynamics::start(argon(2, 80, 1), potential, {.timestep_fs = timestep_fs}, Random(1));
  double sum = 0, squares = 0;
  const int steps = static_cast<int>(8000 / timestep_fs);
  for (int i = 0; i < steps; ++i) {
    run(*dynamics, 1);
    const double energy = dynamics->conserved();
    sum += energy, squares += energy * energy;
  }
  const double mean = sum / steps;
  return std::sqrt(std::max(0.0, squares / steps - mean * mean));
}

TEST(Dynamics, EnergyErrorGrowsWithTheSquareOfTheStep) {
  const double ratio = energy_rms(8) / energy_rms(4);
  EXPECT_GT(ratio, 3);
  EXPECT_LT(ratio, 6);
}

TEST(Dynamics, EnergyDoesNotDrift) {
  LennardJones potential({.cutoff_angstrom = 6}, {.threads = 1});
  auto dynamics = Dynamics::start(argon(2, 80, 2), potential, {.timestep_fs = 4}, Random(1));
  run(*dynamics, 500);
  const double before = dynamics->conserved();
  run(*dynamics, 5000);
  EXPECT_LT(std::abs(dynamics->conserved() - before) / 32 / 20, 1e-5);  // eV an atom and ps
}

TEST(Dynamics, RunsBackWhereItCameFrom) {
  LennardJones potential({.cutoff_angstrom = 6}, {.threads = 1});
  const Structure first = argon(2, 80, 3);
  auto there = Dynamics::start(first, potential, {.timestep_fs = 4}, Random(1));
  run(*there, 200);
  Structure turned = there->structure();
  for (Vec3& velocity : turned.velocities) velocity *= -1;
  auto back = Dynamics::start(turned, potential, {.timestep_fs = 4}, Random(1));
  run(*back, 200);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_LT(norm(back->structure().positions[i] - first.positions[i]), 1e-8);
  }
}

// The kinetic energy of 3N − 3 degrees of freedom has a gamma distribution of shape (3N − 3)/2 and scale kT.
void expect_canonical(Ensemble ensemble) {
  const double temperature = 100;
  LennardJones potential({.cutoff_angstrom = 6}, {.threads = 1});
  auto dynamics = Dynamics::start(
      argon(2, 40, 4), potential,
      {.ensemble = ensemble, .timestep_fs = 8, .temperature_k = temperature, .relaxation_fs = 50}, Random(7));
  run(*dynamics, 500);
  const double shape = (3 * 32 - 3) / 2.0;
  double sum = 0, squares = 0;
  const int samples = 3000;
  for (int i = 0; i < samples; ++i) {
    run(*dynamics, 5);
    const double x = dynamics->kinetic() / (kBoltzmann * temperature);
    sum += x, squares += x * x;
  }
  const double mean = sum / samples;
  EXPECT_NEAR(mean / shape, 1, 0.02);
  EXPECT_NEAR((squares / samples - mean * mean) / shape, 1, 0.15);
}

TEST(Dynamics, CsvrSamplesTheGammaDistribution) {
  expect_canonical(Ensemble::csvr);
}

TEST(Dynamics, NoseHooverSamplesTheGammaDistribution) {
  expect_canonical(Ensemble::nose_hoover);
}

TEST(Dynamics, LangevinSamplesTheGammaDistribution) {
  expect_canonical(Ensemble::langevin);
}

TEST(Dynamics, ThermostatsKeepTheirConservedEnergyAndRest) {
  for (const Ensemble ensemble : {Ensemble::csvr, Ensemble::nose_hoover, Ensemble::langevin}) {
    LennardJones potential({.cutoff_angstrom = 6}, {.threads = 1});
    auto dynamics =
        Dynamics::start(argon(2, 80, 5), potential,
                        {.ensemble = ensemble, .timestep_fs = 2, .temperature_k = 80, .relaxation_fs = 100}, Random(3));
    run(*dynamics, 200);
    const double before = dynamics->conserved(), kinetic = dynamics->kinetic();
    run(*dynamics, 2000);
    EXPECT_LT(std::abs(dynamics->conserved() - before), 0.02 * kinetic) << name(ensemble);
    Vec3 sum;
    for (const Vec3& velocity : dynamics->structure().velocities) sum += velocity;
    EXPECT_LT(norm(sum), 1e-12) << name(ensemble);
  }
}

TEST(Dynamics, VelocitiesHaveTheTemperatureTheyAreDrawnFor) {
  Random random(11);
  Structure structure = argon(2, 1, 1);
  double sum = 0;
  for (int i = 0; i < 400; ++i) {
    draw_velocities(structure, 300, random);
    sum += kinetic_temperature(structure);
  }
  EXPECT_NEAR(sum / 400, 300, 5);
}

TEST(Dynamics, SameSeedSameBytes) {
  std::vector<Vec3> kept;
  for (int turn = 0; turn < 2; ++turn) {
    LennardJones potential({.cutoff_angstrom = 6}, {.threads = 1});
    auto dynamics = Dynamics::start(argon(2, 80, 6), potential, {.ensemble = Ensemble::csvr}, Random(5));
    run(*dynamics, 50);
    if (turn == 0) kept = dynamics->structure().positions;
    EXPECT_EQ(dynamics->structure().positions, kept);
  }
}

TEST(Dynamics, ExplosionsAreNamed) {
  LennardJones potential({.cutoff_angstrom = 6}, {.threads = 1});
  Structure close = argon(2, 80, 1);
  close.positions[1] = close.positions[0] + Vec3{0.8, 0, 0};
  auto dynamics = Dynamics::start(close, potential, {.timestep_fs = 2}, Random(1));
  ASSERT_TRUE(dynamics.ok()) << dynamics.error().message();
  const Status status = dynamics->step();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::breakdown);
  EXPECT_NE(status.error().what.find("atom 1 (Ar) moves by"), std::string::npos) << status.error().what;
}

TEST(Dynamics, WhatCannotRunIsRefused) {
  LennardJones potential({.cutoff_angstrom = 6}, {.threads = 1});
  const Structure structure = argon(2, 80, 1);
  EXPECT_EQ(Dynamics::start(structure, potential, {.timestep_fs = -1}, Random(1)).error().what, "a timestep of -1");
  EXPECT_EQ(
      Dynamics::start(structure, potential, {.ensemble = Ensemble::csvr, .temperature_k = 0}, Random(1)).error().what,
      "a temperature of 0");
  Structure one = structure;
  one.numbers.resize(1), one.positions.resize(1), one.velocities.resize(1);
  EXPECT_EQ(Dynamics::start(one, potential, {}, Random(1)).error().what, "molecular dynamics of fewer than two atoms");
  EXPECT_EQ(ensemble_by_name("nose-hoover"), Ensemble::nose_hoover);
  EXPECT_FALSE(ensemble_by_name("npt"));
}

}  // namespace
}  // namespace tqm::matter
