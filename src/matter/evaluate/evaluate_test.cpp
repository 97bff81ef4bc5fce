#include "matter/evaluate/evaluate.hpp"

#include <gtest/gtest.h>

#include "matter/potential/lennard_jones/lennard_jones.hpp"

namespace tqm::matter {
namespace {

class Frames : public FrameReader {
 public:
  explicit Frames(std::vector<Structure> frames) : frames_(std::move(frames)) {}
  Result<std::optional<Structure>> next() override {
    if (at_ == frames_.size()) return std::optional<Structure>();
    return std::optional<Structure>(frames_[at_++]);
  }

 private:
  std::vector<Structure> frames_;
  size_t at_ = 0;
};

Structure pair() {
  Structure structure;
  structure.cell = {{Vec3{20, 0, 0}, Vec3{0, 20, 0}, Vec3{0, 0, 20}}};
  structure.numbers = {3, 18};
  structure.positions = {{0, 0, 0}, {3.5, 0, 0}};
  return structure;
}

TEST(Evaluate, JsonHasTheKeptForm) {
  LennardJones potential({}, {.threads = 1});
  Evaluation evaluation;
  ASSERT_TRUE(potential.evaluate(pair(), evaluation).ok());
  evaluation.stress = {kGpa, 2 * kGpa, 0, 0, 0, -kGpa};
  Json json = evaluation_json(pair(), evaluation);
  EXPECT_EQ(json["energy_per_atom_ev"].get<double>() * 2, json["energy_ev"].get<double>());
  EXPECT_EQ(json["forces_ev_per_angstrom"].size(), 2U);
  EXPECT_EQ(json["forces_ev_per_angstrom"][1].size(), 3U);
  EXPECT_NEAR(json["stress_gpa"][1].get<double>(), 2, 1e-12);
  EXPECT_NEAR(json["stress_gpa"][5].get<double>(), -1, 1e-12);
  EXPECT_TRUE(json["magnetic_moments"].is_null());
  evaluation.magnetic_moments = {0.5, 3};
  Structure molecule = pair();
  molecule.periodic = {false, false, false};
  json = evaluation_json(molecule, evaluation);
  EXPECT_EQ(json["magnetic_moments"], Json({0.5, 3}));
  EXPECT_TRUE(json["stress_gpa"].is_null());
}

// A reference twice as steep as the potential: slope ½, RMSE half the reference's.
TEST(Evaluate, SlopeAndErrorAreThoseOfALine) {
  LennardJones potential({}, {.threads = 1});
  Evaluation evaluation;
  Structure frame = pair();
  ASSERT_TRUE(potential.evaluate(frame, evaluation).ok());
  for (const Vec3& force : evaluation.forces) frame.forces.push_back(2 * force);
  Frames frames({frame, frame});
  const auto comparison = compare_forces(potential, frames, "frames");
  ASSERT_TRUE(comparison.ok());
  EXPECT_EQ(comparison->frames, 2);
  EXPECT_EQ(comparison->elements.size(), 2U);
  EXPECT_NEAR(comparison->all.slope(), 0.5, 1e-12);
  EXPECT_NEAR(comparison->elements.at(3).rmse(), std::abs(evaluation.forces[0].x) / std::sqrt(3), 1e-12);
  EXPECT_NE(comparison_text(*comparison).find("all          4"), std::string::npos) << comparison_text(*comparison);
}

TEST(Evaluate, FramesWithoutForcesAreRefused) {
  LennardJones potential({}, {.threads = 1});
  Frames frames({pair()});
  EXPECT_EQ(compare_forces(potential, frames, "frames").error().what, "frame 1 holds no forces");
}

}  // namespace
}  // namespace tqm::matter
