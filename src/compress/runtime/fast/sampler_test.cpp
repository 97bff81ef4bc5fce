#include "compress/runtime/fast/sampler.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace tqm::compress {
namespace {

const std::vector<float> kLogits = {0, 3, 1, 2, -4};

std::map<int32_t, int> draws(const SamplingOptions& options, int count) {
  Sampler sampler(options);
  std::map<int32_t, int> seen;
  for (int i = 0; i < count; ++i) ++seen[sampler.next(kLogits.data(), 5).take()];
  return seen;
}

TEST(Sampler, GreedyTakesTheLikeliestAndTheFirstOfEquals) {
  Sampler sampler({});
  EXPECT_EQ(*sampler.next(kLogits.data(), 5), 1);
  const std::vector<float> equal = {1, 2, 2, 0};
  EXPECT_EQ(*sampler.next(equal.data(), 4), 1);
}

TEST(Sampler, DrawsFollowTheProbabilities) {
  const auto seen = draws({.temperature = 1, .seed = 3}, 20000);
  double total = 0;
  for (const float logit : kLogits) total += std::exp(static_cast<double>(logit));
  for (const auto& [token, count] : seen) {
    const double expected = std::exp(static_cast<double>(kLogits[static_cast<size_t>(token)])) / total;
    EXPECT_NEAR(count / 20000.0, expected, 0.012) << token;
  }
}

TEST(Sampler, LimitsLeaveTheLikeliestOnly) {
  const auto tokens = [](const std::map<int32_t, int>& seen) {
    std::vector<int32_t> ids;
    for (const auto& [id, count] : seen) ids.push_back(id);
    return ids;
  };
  EXPECT_EQ(tokens(draws({.temperature = 5, .top_k = 2}, 500)), (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(tokens(draws({.temperature = 1, .top_p = 0.7}, 500)), (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(tokens(draws({.temperature = 1, .top_p = 0.01}, 100)), (std::vector<int32_t>{1}));
  EXPECT_EQ(tokens(draws({.temperature = 1, .min_p = 0.1}, 500)), (std::vector<int32_t>{1, 2, 3}));
}

TEST(Sampler, EqualSeedsGiveEqualTokens) {
  Sampler a({.temperature = 2, .seed = 9}), b({.temperature = 2, .seed = 9}), c({.temperature = 2, .seed = 10});
  int differ = 0;
  for (int i = 0; i < 50; ++i) {
    const int32_t token = a.next(kLogits.data(), 5).take();
    EXPECT_EQ(token, b.next(kLogits.data(), 5).take());
    differ += token != c.next(kLogits.data(), 5).take();
  }
  EXPECT_GT(differ, 5);
}

TEST(Sampler, ThePenaltyWeighsOnRecentTokensOnly) {
  Sampler sampler({.repetition_penalty = 4, .repetition_window = 1});
  EXPECT_EQ(*sampler.next(kLogits.data(), 5), 1);
  EXPECT_EQ(*sampler.next(kLogits.data(), 5), 3);
  EXPECT_EQ(*sampler.next(kLogits.data(), 5), 1);
}

TEST(Sampler, RefusesValuesOutsideTheirRangeAndLogitsThatAreNoNumbers) {
  const auto says = [](const SamplingOptions& options, const char* text) {
    const Status status = check_sampling(options);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message().find(text), std::string::npos) << status.error().message();
  };
  says({.temperature = -1}, "the temperature is -1");
  says({.temperature = NAN}, "the temperature is nan");
  says({.top_k = -2}, "top-k is -2");
  says({.top_p = 0}, "top-p is 0");
  says({.min_p = 1.5}, "min-p is 1.5");
  says({.repetition_penalty = 0}, "the repetition penalty is 0");
  says({.repetition_window = -1}, "the repetition window is -1");
  EXPECT_TRUE(check_sampling({}));
  const std::vector<float> broken = {0, std::numeric_limits<float>::quiet_NaN()};
  const auto token = Sampler({}).next(broken.data(), 2);
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().kind, ErrorKind::breakdown);
}

}  // namespace
}  // namespace tqm::compress
