#include "compress/command/measure.hpp"

#include <algorithm>
#include <vector>

#include "base/json.hpp"
#include "compress/command/own_child.hpp"

namespace tqm::compress {
namespace {

constexpr int64_t kPrompt = 256, kDecode = 64;  // tokens, where the model reads as many

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Speed medians(const std::vector<Json>& runs) {
  auto of = [&](const char* key) {
    std::vector<double> values;
    for (const Json& run : runs) values.push_back(run.value(key, 0.0));
    return median(values);
  };
  Speed speed;
  speed.prefill_tokens_per_s = of("prefill_tokens_per_s");
  speed.decode_tokens_per_s = of("decode_tokens_per_s");
  speed.first_token_ms = of("first_token_ms");
  speed.token_p50_ms = of("token_p50_ms");
  speed.token_p95_ms = of("token_p95_ms");
  speed.token_p99_ms = of("token_p99_ms");
  speed.peak_above_empty_bytes = static_cast<uint64_t>(of("peak_above_empty_bytes"));
  speed.memory.weights = runs[0].value("weights_bytes", uint64_t{0});
  speed.memory.weights_a_token = runs[0].value("weights_bytes_a_token", uint64_t{0});
  speed.memory.kv_cache = runs[0].value("kv_cache_bytes", uint64_t{0});
  speed.memory.activations = runs[0].value("activations_bytes", uint64_t{0});
  speed.kernels = runs[0].value("kernels", "");
  speed.threads = runs[0].value("threads", 0);
  return speed;
}

}  // namespace

Result<SideBySide> measure_side_by_side(const Measured& original, const Measured& compressed, int64_t context,
                                        int threads, int rounds, task::Session& session) {
  SideBySide both;
  both.rounds = rounds;
  both.prompt = std::min(kPrompt, std::max<int64_t>(1, context * kPrompt / (kPrompt + kDecode)));
  both.decode = std::min(kDecode, std::max<int64_t>(1, context - both.prompt));
  const auto one = [&](const Measured& model) {
    std::vector<std::string> words = {"speed",
                                      model.path.string(),
                                      "--json",
                                      "--prompt",
                                      std::to_string(both.prompt),
                                      "--decode",
                                      std::to_string(both.decode),
                                      "--weights",
                                      model.weights,
                                      "--threads",
                                      std::to_string(threads)};
    if (!model.tokenizer.empty()) words.insert(words.end(), {"--tokenizer", model.tokenizer.string()});
    return run_own_child(words, "measuring the model's speed", model.path.string(), session);
  };
  std::vector<Json> first, second;
  for (int i = 0; i < rounds; ++i) {
    session.progress("measure memory and speed", i, rounds, "rounds");
    first.push_back(TRY(one(original)));
    second.push_back(TRY(one(compressed)));
  }
  both.original = medians(first);
  both.compressed = medians(second);
  return both;
}

}  // namespace tqm::compress
