#include "compress/evaluate/evaluation.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "compress/model/memory_weights.hpp"

namespace tqm::compress {
namespace {

TEST(Evaluation, IsTheMeanOverAllScoredTokens) {
  WindowScore one, two;
  one.nll = {1, 2, 3};
  one.top1 = {1, 0, 0};
  two.nll = {6};
  two.top1 = {1};
  const Evaluation evaluation = summarize({one, two, {}});
  EXPECT_EQ(evaluation.tokens, 4);
  EXPECT_DOUBLE_EQ(evaluation.nll_per_token, 3);
  EXPECT_DOUBLE_EQ(evaluation.perplexity, std::exp(3.0));
  EXPECT_DOUBLE_EQ(evaluation.top1, 0.5);
  EXPECT_EQ(summarize({}).tokens, 0);
  EXPECT_EQ(dump_json(to_json(evaluation), -1).substr(0, 34), "{\"tokens\":4,\"nll_per_token\":3.0,\"p");
}

ModelConfig tiny() {
  ModelConfig config;
  config.vocab = 50;
  config.hidden = 16;
  config.intermediate = 24;
  config.layers = 2;
  config.heads = config.kv_heads = 2;
  config.head_dim = 8;
  return config;
}

TEST(Evaluation, ProgressRisesToTheNumberOfWindows) {
  const auto [model, weights] = random_model(tiny());
  const Windows windows(7, {1, 2, 3, 4, 5});
  int64_t last = -1;
  const auto evaluation = evaluate(model, windows, {}, [&](int64_t done, int64_t total) {
    EXPECT_EQ(total, 7);
    EXPECT_GE(done, last);
    last = done;
    return Status();
  });
  ASSERT_TRUE(evaluation.ok()) << evaluation.error().message();
  EXPECT_EQ(last, 7);
  EXPECT_EQ(evaluation->tokens, 28);
  const auto one = evaluate(model, {windows[0]}, {});
  EXPECT_NEAR(evaluation->nll_per_token, one->nll_per_token, 1e-5);
}

TEST(Evaluation, AStopEndsIt) {
  const auto [model, weights] = random_model(tiny());
  const auto evaluation = evaluate(
      model, {{1, 2, 3}}, {}, [](int64_t, int64_t) { return Status(Error{ErrorKind::stopped, "stopped", "", ""}); });
  ASSERT_FALSE(evaluation.ok());
  EXPECT_EQ(evaluation.error().kind, ErrorKind::stopped);
}

}  // namespace
}  // namespace tqm::compress
