#include "matter/potential/laws/laws.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace tqm::matter::laws {
namespace {

Evaluation evaluated(Potential& potential, const Structure& structure) {
  Evaluation out;
  const Status status = potential.evaluate(structure, out);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message());
  return out;
}

double largest(const std::vector<Vec3>& forces) {
  double most = 0;
  for (const Vec3& force : forces) most = std::max(most, norm(force));
  return most;
}

void expect_same(const Evaluation& a, const Evaluation& b, const std::vector<size_t>& order, const Mat3& turn,
                 const Tolerances& tolerances, const char* what) {
  const auto atoms = static_cast<double>(order.size());
  EXPECT_NEAR(a.energy / atoms, b.energy / atoms, tolerances.energy) << what;
  for (size_t i = 0; i < order.size(); ++i) {
    EXPECT_LE(norm(a.forces[order[i]] * turn - b.forces[i]), tolerances.force * (1 + largest(a.forces))) << what << i;
  }
  const Stress turned = stress_of(transposed(turn) * stress_matrix(a.stress) * turn);
  for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(turned[k], b.stress[k], tolerances.force) << what;
}

}  // namespace

void expect_forces_are_differences(Potential& potential, const Structure& structure, const Tolerances& tolerances) {
  const Evaluation here = evaluated(potential, structure);
  const double scale = 1 + largest(here.forces);
  Vec3 sum;
  for (size_t i = 0; i < structure.size(); ++i) {
    sum += here.forces[i];
    for (size_t d = 0; d < 3; ++d) {
      Structure moved = structure;
      moved.positions[i][d] += tolerances.step;
      const double above = evaluated(potential, moved).energy;
      moved.positions[i][d] -= 2 * tolerances.step;
      const double below = evaluated(potential, moved).energy;
      EXPECT_NEAR(here.forces[i][d], -(above - below) / (2 * tolerances.step), tolerances.difference * scale)
          << "atom " << i << ", direction " << d;
    }
  }
  EXPECT_LE(norm(sum), tolerances.force * scale * static_cast<double>(structure.size()));
}

void expect_stress_is_differences(Potential& potential, const Structure& structure, const Tolerances& tolerances) {
  const Evaluation here = evaluated(potential, structure);
  constexpr size_t kRow[6] = {0, 1, 2, 1, 0, 0}, kColumn[6] = {0, 1, 2, 2, 2, 1};
  for (size_t k = 0; k < 6; ++k) {
    const auto energy = [&](double strain) {
      Mat3 deformation = Mat3::identity();
      deformation[kRow[k]][kColumn[k]] += strain / 2;
      deformation[kColumn[k]][kRow[k]] += strain / 2;
      Structure strained = structure;
      strained.cell = structure.cell * deformation;
      for (Vec3& x : strained.positions) x = x * deformation;
      return evaluated(potential, strained).energy;
    };
    const double strain = tolerances.step / 3;
    EXPECT_NEAR(here.stress[k], (energy(strain) - energy(-strain)) / (2 * strain * volume(structure)),
                tolerances.stress)
        << "component " << k;
  }
}

void expect_invariances(Potential& potential, const Structure& structure, const Tolerances& tolerances) {
  const Evaluation here = evaluated(potential, structure);
  std::vector<size_t> order(structure.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const Mat3 none = Mat3::identity();

  Structure moved = structure;
  for (Vec3& x : moved.positions) x += Vec3{0.713, -1.38, 2.09};
  if (structure.periodic[0]) moved.positions[0] += structure.cell[0] * -2;
  expect_same(here, evaluated(potential, moved), order, none, tolerances, "moved");

  const double c = std::cos(0.7), s = std::sin(0.7), c2 = std::cos(-1.1), s2 = std::sin(-1.1);
  const Mat3 turn =
      Mat3{{Vec3{c, s, 0}, Vec3{-s, c, 0}, Vec3{0, 0, 1}}} * Mat3{{Vec3{1, 0, 0}, Vec3{0, c2, s2}, Vec3{0, -s2, c2}}};
  Structure turned = structure;
  turned.cell = structure.cell * turn;
  for (Vec3& x : turned.positions) x = x * turn;
  expect_same(here, evaluated(potential, turned), order, turn, tolerances, "turned");

  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(order.size() / 3), order.end());
  Structure numbered = structure;
  for (size_t i = 0; i < order.size(); ++i) {
    numbered.numbers[i] = structure.numbers[order[i]];
    numbered.positions[i] = structure.positions[order[i]];
  }
  expect_same(here, evaluated(potential, numbered), order, none, tolerances, "numbered otherwise");

  if (!(structure.periodic[0] && structure.periodic[1] && structure.periodic[2])) return;
  const Structure twelve = repeated(structure, {2, 3, 2});
  const Evaluation many = evaluated(potential, twelve);
  const auto atoms = static_cast<double>(structure.size());
  EXPECT_NEAR(many.energy / 12 / atoms, here.energy / atoms, tolerances.energy);
  for (size_t i = 0; i < twelve.size(); ++i) {
    double nearest = 1e9;  // whatever order copies stand in
    for (size_t j = 0; j < structure.size(); ++j) {
      if (structure.numbers[j] == twelve.numbers[i]) nearest = std::min(nearest, norm(many.forces[i] - here.forces[j]));
    }
    EXPECT_LE(nearest, tolerances.force * (1 + largest(here.forces))) << "repeated, atom " << i;
  }
  for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(many.stress[k], here.stress[k], tolerances.force);

  std::vector<Evaluation> batch;
  const std::vector<Structure> structures = {structure, twelve, turned};
  const Status status = potential.evaluate_batch(structures, batch);
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_NEAR(batch[0].energy / atoms, here.energy / atoms, tolerances.energy);
  EXPECT_NEAR(batch[1].energy / 12 / atoms, here.energy / atoms, tolerances.energy);
  expect_same(
      here, batch[2],
      [&] {
        std::vector<size_t> plain(structure.size());
        std::iota(plain.begin(), plain.end(), size_t{0});
        return plain;
      }(),
      turn, tolerances, "in a batch");
}

}  // namespace tqm::matter::laws
