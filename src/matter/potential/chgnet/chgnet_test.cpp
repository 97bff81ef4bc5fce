#include "matter/potential/chgnet/chgnet.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "base/random.hpp"
#include "matter/potential/chgnet/network.hpp"
#include "matter/potential/laws/laws.hpp"

namespace tqm::matter {
namespace {

// A network of the right shape with random weights. biased: as version 0.2.0, without norms and with outer biases.
Checkpoint random_checkpoint(uint64_t seed, bool biased) {
  Random random(seed);
  Checkpoint checkpoint;
  checkpoint.arguments = {{"atom_graph_cutoff", 4}, {"bond_graph_cutoff", 2.5}, {"cutoff_coeff", 5}, {"n_conv", 4}};
  const auto add = [&](const std::string& name, const std::vector<int64_t>& shape, double scale, double base = 0) {
    std::vector<float> values(static_cast<size_t>(tensor::element_count(shape)));
    for (float& value : values) value = static_cast<float>(base + scale * random.normal());
    checkpoint.tensors[name] = tensor::HostTensor::of_floats(shape, values);
  };
  const auto gated = [&](const std::string& name, int64_t parts, bool two) {
    for (const std::string half : {".mlp_core", ".mlp_gate"}) {
      add(name + half + (two ? ".layers.0" : ".layers.1") + ".weight", {64, 64 * parts}, 0.1);
      add(name + half + (two ? ".layers.0" : ".layers.1") + ".bias", {64}, 0.1);
      if (two) add(name + half + ".layers.3.weight", {64, 64}, 0.15);
      if (two) add(name + half + ".layers.3.bias", {64}, 0.1);
    }
    if (biased) return;
    for (const std::string norm : {".bn1", ".bn2"}) {
      add(name + norm + ".weight", {64}, 0.1, 1);
      add(name + norm + ".bias", {64}, 0.1);
    }
  };
  add("composition_model.fc.weight", {1, 94}, 1);
  add("atom_embedding.embedding.weight", {94, 64}, 0.5);
  std::vector<float> waves, angles;
  for (int k = 1; k <= 9; ++k) waves.push_back(static_cast<float>(k * std::numbers::pi));
  for (int k = 1; k <= 4; ++k) angles.push_back(static_cast<float>(k));
  for (const std::string graph : {"ag", "bg"}) {
    checkpoint.tensors["bond_basis_expansion.rbf_expansion_" + graph + ".frequencies"] =
        tensor::HostTensor::of_floats({9}, waves);
  }
  checkpoint.tensors["angle_basis_expansion.fourier_expansion.frequencies"] =
      tensor::HostTensor::of_floats({4}, angles);
  for (const std::string name : {"bond_embedding", "bond_weights_ag", "bond_weights_bg", "angle_embedding"}) {
    add(name + ".weight", {64, 9}, 0.3);
  }
  for (int k = 0; k < 4; ++k) {
    const std::string name = "atom_conv_layers." + std::to_string(k);
    gated(name + ".twoBody_atom", 3, true);
    add(name + ".mlp_out.layers.1.weight", {64, 64}, 0.1);
    if (biased) add(name + ".mlp_out.layers.1.bias", {64}, 0.1);
  }
  for (int k = 0; k < 3; ++k) {
    const std::string name = "bond_conv_layers." + std::to_string(k);
    gated(name + ".twoBody_bond", 4, true);
    add(name + ".mlp_out.layers.1.weight", {64, 64}, 0.1);
    if (biased) add(name + ".mlp_out.layers.1.bias", {64}, 0.1);
    gated("angle_layers." + std::to_string(k) + ".twoBody_bond", 4, false);
  }
  add("site_wise.weight", {1, 64}, 0.1);
  add("site_wise.bias", {1}, 0.1);
  if (!biased) {
    add("readout_norm.weight", {64}, 0.1, 1);
    add("readout_norm.bias", {64}, 0.1);
  }
  for (const int k : {0, 2}) {
    add("mlp.layers." + std::to_string(k) + ".weight", {64, 64}, 0.2);
    add("mlp.layers." + std::to_string(k) + ".bias", {64}, 0.1);
  }
  add("mlp.layers.5.weight", {1, 64}, 0.3);
  add("mlp.layers.5.bias", {1}, 0.1);
  return checkpoint;
}

std::unique_ptr<Potential> opened(const Checkpoint& checkpoint, bool float64) {
  auto potential = make_chgnet(checkpoint, "random", "random", "random", {.float64 = float64, .threads = 1});
  EXPECT_TRUE(potential.ok()) << (potential.ok() ? "" : potential.error().message());
  return std::move(potential).take();
}

Structure triclinic(size_t atoms) {
  Structure structure;
  structure.cell = {{Vec3{3.9, 0.2, -0.4}, Vec3{1.1, 4.3, 0.3}, Vec3{-0.7, 0.9, 5.2}}};
  if (atoms == 1) structure.cell = structure.cell * 0.5;
  Random random(5);
  constexpr int kNumbers[] = {3, 25, 8};
  for (size_t i = 0; i < atoms; ++i) {
    structure.numbers.push_back(kNumbers[i % 3]);
    structure.positions.push_back(Vec3{random.uniform(), random.uniform(), random.uniform()} * structure.cell);
  }
  return structure;
}

TEST(Chgnet, ObeysTheLaws) {
  for (const bool biased : {false, true}) {
    const auto potential = opened(random_checkpoint(2, biased), true);
    for (const size_t atoms : {1, 5}) {
      const laws::Tolerances tolerances{
          .energy = 1e-9, .force = 1e-8, .difference = 2e-5, .step = 1e-5, .stress = 1e-4};
      const Structure structure = triclinic(atoms);
      laws::expect_forces_are_differences(*potential, structure, tolerances);
      laws::expect_stress_is_differences(*potential, structure, tolerances);
      laws::expect_invariances(*potential, structure, tolerances);
    }
  }
}

TEST(Chgnet, SinglePrecisionIsNear) {
  const Checkpoint checkpoint = random_checkpoint(2, false);
  Evaluation twice, once;
  ASSERT_TRUE(opened(checkpoint, true)->evaluate(triclinic(5), twice).ok());
  ASSERT_TRUE(opened(checkpoint, false)->evaluate(triclinic(5), once).ok());
  EXPECT_NEAR(once.energy, twice.energy, 5e-5);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_LE(norm(once.forces[i] - twice.forces[i]), 1e-3 * (1 + norm(twice.forces[i])));
    EXPECT_NEAR(once.magnetic_moments[i], twice.magnetic_moments[i], 1e-5);
  }
}

TEST(Chgnet, WhatItCannotDescribeIsRefused) {
  const auto potential = opened(random_checkpoint(2, false), false);
  Structure lonely = triclinic(1);
  lonely.cell = lonely.cell * 8;
  Evaluation out;
  EXPECT_EQ(potential->evaluate(lonely, out).error().what, "atom 1 (Li) has no neighbour within 4 Å");
  Structure heavy = triclinic(2);
  heavy.numbers[0] = 95;
  EXPECT_EQ(potential->evaluate(heavy, out).error().what, "random does not know Am");
  Checkpoint torn = random_checkpoint(2, false);
  torn.tensors.erase("site_wise.weight");
  EXPECT_EQ(make_chgnet(torn, "w.pth", "x", "", {}).error().what,
            "the checkpoint is no CHGNet that is known: the tensor site_wise.weight is missing or of another shape");
}

// Python's chgnet 0.4.2 in double precision. The weights come with tools/setup potentials; without them nothing is
// compared here.
TEST(Chgnet, LiMnO2IsAsInPython) {
  const std::filesystem::path weights = std::filesystem::path(TQM_BIN_DIR) / "../deps/potentials/chgnet-0.3.0.pth";
  if (!std::filesystem::exists(weights)) GTEST_SKIP() << "no " << weights;
  Structure structure;
  structure.cell = {{Vec3{2.868779, 0, 0}, Vec3{0, 4.634475, 0}, Vec3{0, 0, 5.832507}}};
  structure.numbers = {3, 3, 25, 25, 8, 8, 8, 8};
  for (const Vec3 f : {Vec3{.5, .5, .3797505}, Vec3{0, 0, .6202495}, Vec3{.5, .5, .8632525}, Vec3{0, 0, .1367475},
                       Vec3{.5, 0, .3608245}, Vec3{0, .5, .0985135}, Vec3{.5, 0, .9014865}, Vec3{0, .5, .6391755}}) {
    structure.positions.push_back(f * structure.cell);
  }
  constexpr double kForces[] = {0.02381475589400739,  -0.02381475589400739,   0.09259029098551741,
                                -0.09259029098551741, -0.0024350681142574215, -0.013090711416094969,
                                0.013090711416094969, 0.0024350681142574215};
  constexpr double kStress[] = {-0.3035341335212136, 0.22331205824379394, -0.10722507232009507};
  constexpr double kMoments[] = {0.003049322625097939, 0.0030493226250976058, 3.8694177332800956,  3.8694177332800965,
                                 0.04413609369106128,  0.0386218091851806,    0.03862180918518093, 0.044136093691061};
  for (const bool float64 : {true, false}) {
    const auto potential = open_chgnet(weights, "chgnet-0.3.0", "", {.float64 = float64, .threads = 1});
    ASSERT_TRUE(potential.ok()) << potential.error().message();
    Evaluation out;
    ASSERT_TRUE((*potential)->evaluate(structure, out).ok());
    EXPECT_NEAR(out.energy / 8, -7.367691402418015, float64 ? 1e-9 : 1e-5);
    for (size_t i = 0; i < 8; ++i) {
      EXPECT_NEAR(out.forces[i].z, kForces[i], float64 ? 1e-9 : 1e-4);
      EXPECT_NEAR(out.magnetic_moments[i], kMoments[i], float64 ? 1e-9 : 1e-5);
    }
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(out.stress[k] / kGpa, kStress[k], float64 ? 1e-7 : 2e-3);
  }
}

}  // namespace
}  // namespace tqm::matter
