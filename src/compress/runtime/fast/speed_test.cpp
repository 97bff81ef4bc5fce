#include "compress/runtime/fast/speed.hpp"

#include <gtest/gtest.h>

#include "compress/model/memory_weights.hpp"

namespace tqm::compress {
namespace {

// Each look at it is a millisecond later.
class TickingClock final : public Clock {
 public:
  int64_t monotonic_ns() const override { return now_ += 1'000'000; }
  int64_t wall_ns() const override { return 0; }

 private:
  mutable int64_t now_ = 0;
};

TEST(Speed, CountsTokensAndTimes) {
  ModelConfig config;
  config.vocab = 50;
  config.hidden = config.intermediate = 32;
  config.layers = 1;
  config.heads = config.kv_heads = 1;
  config.head_dim = 32;
  const auto [model, held] = random_model(config);
  SpeedOptions options;
  options.decoder.threads = 1;
  options.prompt = 20;
  options.decode = 10;
  const Speed speed = measure_speed(model, options, TickingClock()).take();
  EXPECT_DOUBLE_EQ(speed.prefill_tokens_per_s, 20 / 1e-3);
  EXPECT_NEAR(speed.decode_tokens_per_s, 10 / 21e-3, 1e-6);  // two looks a token, and one before
  EXPECT_DOUBLE_EQ(speed.token_p50_ms, 1);
  EXPECT_DOUBLE_EQ(speed.token_p99_ms, 1);
  EXPECT_DOUBLE_EQ(speed.first_token_ms, 1);
  EXPECT_EQ(speed.memory.kv_cache, 30U * 2 * 32 * 2);
  EXPECT_EQ(to_json(speed)["threads"], 1);
  options.decoder.weights = "int2";
  EXPECT_FALSE(measure_speed(model, options));
  options = {};
  options.prompt = config.max_position;
  options.decode = 1;
  const auto beyond = measure_speed(model, options);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().kind, ErrorKind::usage);
  EXPECT_NE(beyond.error().message().find("reads 2048 tokens in all, not 2048 and 1 more"), std::string::npos);
  options = {};
  options.prompt = 0;
  const auto nothing = measure_speed(model, options);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().message().find("at least one token of a prompt"), std::string::npos);
}

}  // namespace
}  // namespace tqm::compress
