#include "compress/quantize/gptq.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <cmath>
#include <gtest/gtest.h>

namespace tqm::compress {
namespace {

at::Tensor normal(int64_t rows, int64_t columns, uint64_t seed) {
  return at::randn({rows, columns}, at::make_generator<at::CPUGeneratorImpl>(seed));
}

// Correlated inputs with columns of very different energy, as a layer's are.
at::Tensor inputs(int64_t tokens, int64_t columns, uint64_t seed) {
  at::Tensor mix = normal(columns, columns, seed + 1) / std::sqrt(static_cast<double>(columns));
  mix.diagonal().add_(0.5);
  at::Tensor x = at::mm(normal(tokens, columns, seed), mix);
  return x * at::arange(1, columns + 1).to(at::kFloat).reciprocal().sqrt().mul(4);
}

GptqResult run(const QuantSpec& spec, const at::Tensor& weight, const at::Tensor& x, GptqOptions options = {}) {
  Hessian hessian(weight.size(1));
  for (int64_t at = 0; at < x.size(0); at += 100) hessian.add(x.narrow(0, at, std::min<int64_t>(100, x.size(0) - at)));
  return gptq(spec, weight, hessian.matrix(), options);
}

TEST(Gptq, hessian_is_the_second_moment) {
  at::Tensor x = inputs(300, 97, 1);
  Hessian hessian(97);
  hessian.add(x.narrow(0, 0, 120));
  hessian.add(x.narrow(0, 120, 180));
  EXPECT_LT((hessian.matrix() - at::mm(x.t(), x) / 300).abs().max().item<double>(), 1e-4);
}

TEST(Gptq, loses_less_than_rounding_to_nearest) {
  at::Tensor weight = normal(48, 128, 2), x = inputs(1000, 128, 3);
  for (QuantSpec spec : {QuantSpec{4, 0, true, false}, QuantSpec{4, 32, true, false}, QuantSpec{4, 64, false, false},
                         QuantSpec{3, 0, true, false}, QuantSpec{8, 0, true, true}}) {
    for (bool order : {false, true}) {
      GptqOptions options;
      options.activation_order = order;
      GptqResult result = run(spec, weight, x, options);
      EXPECT_LT(result.relative_error, 0.7 * result.nearest_error) << spec.bits << " " << spec.group << " " << order;
      EXPECT_FALSE(result.fell_back);
    }
  }
}

TEST(Gptq, with_uncorrelated_inputs_is_rounding_to_nearest) {
  at::Tensor weight = normal(16, 64, 5);
  at::Tensor hessian = at::zeros({64, 64});
  hessian.diagonal().fill_(2.0);
  GptqOptions options;
  options.scale_rule = ScaleRule::absmax;
  QuantSpec spec{4, 32, true, false};
  EXPECT_EQ(gptq(spec, weight, hessian, options).tensor,
            round_to_nearest(spec, weight.data_ptr<float>(), 16, 64, ScaleRule::absmax));
}

TEST(Gptq, columns_never_seen_keep_their_nearest_codes) {
  at::Tensor weight = normal(8, 64, 6), x = inputs(400, 64, 7);
  x.select(1, 5).zero_();
  x.select(1, 40).zero_();
  QuantSpec spec{4, 0, true, false};
  GptqResult result = run(spec, weight, x);
  EXPECT_EQ(result.dead_columns, 2);
  const float* w = weight.data_ptr<float>();
  for (int64_t row = 0; row < 8; ++row)
    for (int64_t column : {5, 40})
      EXPECT_EQ(result.tensor.codes[static_cast<size_t>(row * 64 + column)],
                nearest_code(w[row * 64 + column], result.tensor.scales[static_cast<size_t>(row)], 0, 4));
}

TEST(Gptq, fewer_tokens_than_columns_still_factorise_and_all_zero_inputs_round_to_nearest) {
  at::Tensor weight = normal(8, 64, 8);
  GptqResult few = run({4, 0, true, false}, weight, inputs(10, 64, 9));
  EXPECT_FALSE(few.fell_back);
  EXPECT_LE(few.relative_error, few.nearest_error);
  GptqResult none = run({4, 0, true, false}, weight, at::zeros({100, 64}));
  EXPECT_EQ(none.dead_columns, 64);
  EXPECT_EQ(none.tensor, round_to_nearest({4, 0, true, false}, weight.data_ptr<float>(), 8, 64, ScaleRule::mse));
}

TEST(Gptq, same_inputs_same_codes) {
  at::Tensor weight = normal(33, 96, 10), x = inputs(500, 96, 11);
  EXPECT_EQ(run({3, 32, false, false}, weight, x).tensor, run({3, 32, false, false}, weight, x).tensor);
}

}  // namespace
}  // namespace tqm::compress
