#include "compress/runtime/fast/speed.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/random.hpp"

namespace tqm::compress {
namespace {

// A line of /proc/self/status, "VmRSS:   1234 kB", in bytes; 0 where there is none.
uint64_t process_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kilobytes = 0;
    if (word == key && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// The smallest value that the given part of all do not exceed.
double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(part * static_cast<double>(values.size()));
  return values[static_cast<size_t>(std::max(1.0, rank)) - 1];
}

}  // namespace

Result<Speed> measure_speed(const Model& model, const SpeedOptions& options, const Clock& clock) {
  if (options.prompt < 1 || options.decode < 1) {
    return Error{ErrorKind::usage, "speed is measured over at least one token of a prompt and one decoded", "",
                 "give larger numbers of tokens"};
  }
  if (options.prompt + options.decode > model.config.max_position)
    return Error{ErrorKind::usage,
                 "the model reads " + std::to_string(model.config.max_position) + " tokens in all, not " +
                     std::to_string(options.prompt) + " and " + std::to_string(options.decode) + " more",
                 "--prompt, --decode", "give fewer of them"};
  const uint64_t empty = process_bytes("VmRSS:");
  FastOptions with = options.decoder;
  if (with.max_context == 0) with.max_context = options.prompt + options.decode;
  FastDecoder decoder = TRY(FastDecoder::load(model, with));
  Random random(options.seed);
  std::vector<int32_t> prompt;
  for (int64_t i = 0; i < options.prompt; ++i) {
    prompt.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(decoder.vocab()))));
  }
  const auto seconds_since = [&](int64_t start) { return seconds_between(start, clock.monotonic_ns()); };

  Speed speed;
  speed.threads = decoder.threads();
  speed.kernels = decoder.kernels();
  std::vector<double> token_ms;
  double first_ms = 0;
  (void)TRY(decoder.prefill(0, prompt));  // pages and caches are warm from here on
  for (int64_t repeat = 0; repeat < std::max<int64_t>(1, options.repeats); ++repeat) {
    decoder.forget(0);
    const int64_t decode_start = clock.monotonic_ns();
    for (int64_t i = 0; i < options.decode; ++i) {
      const int64_t start = clock.monotonic_ns();
      (void)TRY(decoder.step({{0, prompt[static_cast<size_t>(i % options.prompt)]}}));
      token_ms.push_back(seconds_since(start) * 1e3);
    }
    const double decode_s = seconds_since(decode_start);
    speed.decode_tokens_per_s = std::max(speed.decode_tokens_per_s, static_cast<double>(options.decode) / decode_s);

    decoder.forget(0);
    const int64_t prefill_start = clock.monotonic_ns();
    (void)TRY(decoder.prefill(0, prompt));
    const double prefill_s = seconds_since(prefill_start);
    if (repeat == 0 || prefill_s * 1e3 < first_ms) first_ms = prefill_s * 1e3;
    speed.prefill_tokens_per_s = std::max(speed.prefill_tokens_per_s, static_cast<double>(options.prompt) / prefill_s);
  }
  for (int64_t i = 0; i < options.decode; ++i) (void)TRY(decoder.step({{0, prompt[0]}}));
  speed.first_token_ms = first_ms;
  speed.token_p50_ms = quantile(token_ms, 0.5);
  speed.token_p95_ms = quantile(token_ms, 0.95);
  speed.token_p99_ms = quantile(token_ms, 0.99);
  speed.memory = decoder.memory();
  const uint64_t peak = process_bytes("VmHWM:");
  speed.peak_above_empty_bytes = peak > empty ? peak - empty : 0;
  return speed;
}

Json to_json(const Speed& speed) {
  return {{"prefill_tokens_per_s", speed.prefill_tokens_per_s},
          {"decode_tokens_per_s", speed.decode_tokens_per_s},
          {"first_token_ms", speed.first_token_ms},
          {"token_p50_ms", speed.token_p50_ms},
          {"token_p95_ms", speed.token_p95_ms},
          {"token_p99_ms", speed.token_p99_ms},
          {"weights_bytes", speed.memory.weights},
          {"weights_bytes_a_token", speed.memory.weights_a_token},
          {"kv_cache_bytes", speed.memory.kv_cache},
          {"activations_bytes", speed.memory.activations},
          {"peak_above_empty_bytes", speed.peak_above_empty_bytes},
          {"kernels", speed.kernels},
          {"threads", speed.threads}};
}

}  // namespace tqm::compress
