#include "compress/quantize/plan.hpp"

#include <gtest/gtest.h>

namespace tqm::compress {
namespace {

struct Shapes : WeightSource {
  std::vector<TensorInfo> infos;
  const std::vector<TensorInfo>& tensors() const override { return infos; }
  bool has(const std::string&) const override { return true; }
  Result<Weight> load(const std::string& name) const override {
    return Error{ErrorKind::not_found, "no weights here", name, ""};
  }
  void release(const std::string&) const override {}
};

ModelConfig two_layers() {
  ModelConfig config;
  config.layers = 2;
  return config;
}

Shapes shapes_of_width(int64_t width) {
  Shapes shapes;
  for (int64_t layer = 0; layer < 2; ++layer)
    for (const std::string& name : linear_names(two_layers(), layer))
      shapes.infos.push_back({name, {64, width}, "F32", 0});
  return shapes;
}

TEST(Plan, takes_every_linear_layer_and_knows_exceptions_by_pattern) {
  Shapes shapes = shapes_of_width(128);
  PlanRequest request{{4, 64, true, false}, {"model.layers.1.*"}, {{"down_proj", 8}, {"layers.0.self_attn.o_proj", 3}}};
  auto result = make_plan(request, two_layers(), shapes);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(result->plan.size(), 7u);
  EXPECT_EQ(result->plan.at("model.layers.0.mlp.down_proj.weight").bits, 8);
  EXPECT_EQ(result->plan.at("model.layers.0.self_attn.o_proj.weight").bits, 3);
  EXPECT_EQ(result->plan.at("model.layers.0.self_attn.q_proj.weight").bits, 4);
  EXPECT_TRUE(result->warnings.empty());
}

TEST(Plan, warns_where_a_fused_matrix_would_mix_formats) {
  auto result =
      make_plan({{4, 64, true, false}, {}, {{"layers.1.self_attn.k_proj", 8}}}, two_layers(), shapes_of_width(128));
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->warnings.size(), 1u);
  EXPECT_NE(result->warnings[0].find("1.qkv"), std::string::npos);
}

TEST(Plan, refuses_what_it_cannot_do_and_says_what_to_do) {
  Shapes shapes = shapes_of_width(96);
  auto message = [&](PlanRequest request) { return make_plan(request, two_layers(), shapes).error().message(); };
  EXPECT_EQ(message({{4, 64, true, false}, {}, {}}),
            "group 64 does not divide the width 96 (model.layers.0.self_attn.q_proj.weight): use --group 32, or 0 for "
            "one scale a row");
  EXPECT_NE(
      message({{4, 32, true, false}, {"lm_hat"}, {}}).find("no linear layer has a name that fits (--ignore lm_hat)"),
      std::string::npos);
  EXPECT_NE(message({{4, 32, true, false}, {}, {{"o_proj", 5}}}).find("5 bits are not offered"), std::string::npos);
  EXPECT_NE(message({{4, 32, true, false}, {"*"}, {}}).find("nothing is left"), std::string::npos);
}

TEST(Plan, average_bits_count_scales_and_plain_layers) {
  Shapes shapes = shapes_of_width(128);
  auto plan = make_plan({{4, 64, true, false}, {}, {}}, two_layers(), shapes);
  EXPECT_DOUBLE_EQ(average_bits(plan->plan, two_layers(), shapes), 4.25);
  plan = make_plan({{4, 64, false, false}, {"layers.1.*"}, {}}, two_layers(), shapes);
  EXPECT_DOUBLE_EQ(average_bits(plan->plan, two_layers(), shapes), (4 + 20.0 / 64 + 16) / 2);
}

}  // namespace
}  // namespace tqm::compress
