#include "matter/potential/nep/nep.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/cpu_features.hpp"
#include "base/random.hpp"
#include "matter/potential/laws/laws.hpp"
#include "matter/potential/nep/zbl_radius.hpp"

namespace tqm::matter {
namespace {

struct Shape {
  std::string kind = "nep4";
  std::string zbl = {}, cutoff = "cutoff 5 4 100 50", l_max = "l_max 4 2 1";
  int networks = 3, extra = 0;  // networks in the file; numbers after each
  int kinds_of_zbl = 0;
};

// A file of random parameters for Li, O and La. l_max must be "l_max L a b".
std::string random_file(const Shape& shape, uint64_t seed) {
  Random random(seed);
  std::string text = shape.kind + " 3 Li O La\n" + (shape.zbl.empty() ? "" : shape.zbl + "\n") + shape.cutoff +
                     "\nn_max 3 2\nbasis_size 6 5\n" + shape.l_max + "\nANN 10 0\n";
  const int l = shape.l_max[6] - '0', many = (shape.l_max[8] != '0') + (shape.l_max[10] != '0');
  const int dimension = 4 + 3 * (l + many);
  const auto numbers = [&](int count, double scale) {
    for (int k = 0; k < count; ++k) text += fmt::format("{:.7e}\n", scale * random.normal());
  };
  for (int t = 0; t < shape.networks; ++t) {
    numbers(10 * dimension, 0.3);
    numbers(20 + shape.extra, 0.5);
  }
  numbers(1, 1);
  numbers(9 * (4 * 7 + 3 * 6), 0.4);
  for (int d = 0; d < dimension; ++d) text += fmt::format("{:.7e}\n", 0.1 + 0.2 * random.uniform());
  for (int k = 0; k < shape.kinds_of_zbl; ++k) {
    for (const double p : {0.7, 1.9, 0.18, 3.2, 0.5, 0.9, 0.28, 0.4, 0.03, 0.2}) text += fmt::format("{}\n", p);
  }
  return text;
}

std::unique_ptr<Nep> opened(const std::string& text, const PotentialOptions& options) {
  auto model = nep::parse_nep(text, "random.txt", options.species);
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message());
  auto potential = Nep::make(std::move(model).take(), "random", "random", options);
  EXPECT_TRUE(potential.ok());
  return std::move(potential).take();
}

// Close pairs, so that the repulsion counts.
Structure triclinic(size_t atoms) {
  Structure structure;
  structure.cell = {{Vec3{3.9, 0.2, -0.4}, Vec3{1.1, 4.3, 0.3}, Vec3{-0.7, 0.9, 5.2}}};
  if (atoms == 1) structure.cell = structure.cell * 0.45;
  Random random(5);
  constexpr int kNumbers[] = {3, 57, 8};
  for (size_t i = 0; i < atoms; ++i) {
    structure.numbers.push_back(kNumbers[i % 3]);
    structure.positions.push_back(Vec3{random.uniform(), random.uniform(), random.uniform()} * structure.cell);
  }
  return structure;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {.kind = "nep3", .networks = 1},
      {.kind = "nep3_zbl", .zbl = "zbl 0.9 1.8", .l_max = "l_max 3 0 0", .networks = 1},
      {},
      {.kind = "nep4_zbl", .zbl = "zbl 0 2 0.65", .cutoff = "cutoff 5 3.5 6 4 5.5 4.5 100 50", .l_max = "l_max 8 2 1"},
      {.kind = "nep4_zbl", .zbl = "zbl 0 0", .l_max = "l_max 2 2 0", .kinds_of_zbl = 6},
      {.kind = "nep5", .extra = 1},
      {.kind = "nep5_zbl", .zbl = "zbl 0.8 1.6", .l_max = "l_max 1 0 1", .extra = 1},
  };
  return all;
}

TEST(Nep, ObeysTheLawsInEveryVersion) {
  uint64_t seed = 1;
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.kind + " " + shape.l_max);
    const auto potential = opened(random_file(shape, seed++), {.threads = 1 + static_cast<int>(seed % 2)});
    for (const size_t atoms : {1, 5}) {
      const Structure structure = triclinic(atoms);
      const laws::Tolerances tolerances{
          .energy = 1e-9, .force = 1e-8, .difference = 1e-5, .step = 3e-5, .stress = 1e-4};
      laws::expect_forces_are_differences(*potential, structure, tolerances);
      laws::expect_stress_is_differences(*potential, structure, tolerances);
      laws::expect_invariances(*potential, structure, tolerances);
    }
  }
}

TEST(Nep, IsTheSameWithEveryInstructionSet) {
  const Structure structure = repeated(triclinic(5), {2, 1, 1});
  const nep::Model model = nep::parse_nep(random_file({}, 3), "random.txt", {}).take();
  std::vector<int> types;
  for (const int number : structure.numbers) types.push_back(number == 3 ? 0 : number == 8 ? 1 : 2);
  Team team(1);
  NeighbourList list(5, 0.1);
  list.rebuild(structure, team);
  std::vector<nep::Kernel> kernels = {&nep::generic::evaluate};
#if defined(__x86_64__)
  if (detected_features().avx2) kernels.push_back(&nep::avx2::evaluate);
  if (detected_features().avx512) kernels.push_back(&nep::avx512::evaluate);
#endif
  std::vector<double> first, energies(structure.size());
  nep::Work reference;
  for (const nep::Kernel kernel : kernels) {
    nep::Work work;
    work.forces.assign(structure.size(), {});
    kernel(model.view, {structure, list, types, energies}, 0, structure.size(), work);
    if (first.empty()) first = energies, reference = work;
    for (size_t i = 0; i < structure.size(); ++i) {
      EXPECT_NEAR(energies[i], first[i], 1e-12);
      EXPECT_LE(norm(work.forces[i] - reference.forces[i]), 1e-11);
    }
  }
}

TEST(Nep, CutToTheSpeciesPresentIsTheSame) {
  Structure structure = triclinic(5);
  for (int& number : structure.numbers) number = number == 57 ? 8 : number;
  const std::string text = random_file(shapes()[3], 9);
  Evaluation whole, cut;
  ASSERT_TRUE(opened(text, {.threads = 1})->evaluate(structure, whole).ok());
  const auto potential = opened(text, {.species = {8, 3, 8}, .threads = 1});
  EXPECT_EQ(potential->model().species, (std::vector<int>{3, 8}));
  EXPECT_LT(potential->model().view.radial.size(), 200U);
  ASSERT_TRUE(potential->evaluate(structure, cut).ok());
  EXPECT_NEAR(whole.energy, cut.energy, 1e-11);
  for (size_t i = 0; i < structure.size(); ++i) EXPECT_LE(norm(whole.forces[i] - cut.forces[i]), 1e-11);
}

std::string refusal(const std::string& text, std::vector<int> species = {}) {
  const auto model = nep::parse_nep(text, "nep.txt", std::move(species));
  return model.ok() ? "" : model.error().what;
}

TEST(Nep, WhatIsNotKnownIsRefusedByName) {
  const std::string good = random_file({}, 1);
  EXPECT_EQ(refusal(good), "");
  for (const char* kind : {"nep4_charge1", "nep4_zbl_charge2", "nep4_dipole", "nep3_polarizability", "nep4_temperature",
                           "nep5_spin", "nep2"}) {
    EXPECT_EQ(refusal(kind + good.substr(4)), std::string("the model is of kind ") + kind);
  }
  EXPECT_EQ(refusal(good, {3, 26}), "the potential does not know Fe");
  std::string q112 = good;
  q112.replace(q112.find("l_max 4 2 1"), 11, "l_max 4 1 1 1");
  EXPECT_EQ(refusal(q112), "the model has descriptors of the kind q_112");
  EXPECT_EQ(refusal(good + "1.0\n"), "more follows after the last parameter");
  EXPECT_EQ(refusal(good.substr(0, good.size() / 2)), "the file ends before its parameters do");
  EXPECT_EQ(refusal("not a potential\n"), "a nep.txt begins with nep3, nep4 or nep5");
  std::string word = good;
  word.replace(word.rfind('\n', word.size() - 2) + 1, 3, "nan");
  EXPECT_NE(refusal(word), "");
  Structure iron = triclinic(3);
  iron.numbers[0] = 26;
  Evaluation out;
  EXPECT_EQ(opened(good, {.threads = 1})->evaluate(iron, out).error().what, "random was opened without Fe");
}

TEST(Nep, RadiiEndTypewiseRepulsion) {
  EXPECT_EQ(nep::zbl_radius(1), 0.426667);
  EXPECT_EQ(nep::zbl_radius(3), 1.6);
  EXPECT_EQ(nep::zbl_radius(94), 2.06667);
  EXPECT_EQ(nep::zbl_radius(95), 1.5);
}

}  // namespace
}  // namespace tqm::matter
