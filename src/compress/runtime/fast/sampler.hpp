// Which token comes next: greedy, or drawn from what temperature, top-k, top-p, min-p and a repetition penalty leave.
// Equal seeds and logits give equal tokens on every platform.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/random.hpp"
#include "base/result.hpp"

namespace tqm::compress {

struct SamplingOptions {
  double temperature = 0;         // 0: the most likely token
  int64_t top_k = 0;              // this many most likely tokens; 0: all
  double top_p = 1;               // the fewest tokens whose probabilities reach this
  double min_p = 0;               // at least this part of the most likely token's probability
  double repetition_penalty = 1;  // divides the logits (multiplies negative ones) of recent tokens (Keskar et al. 2019)
  int64_t repetition_window = 64;  // how many of them
  uint64_t seed = 0;
};

// Refuses values outside their range, naming the option.
Status check_sampling(const SamplingOptions& options);

class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {}
  // Tokens that count as recent, such as the prompt's.
  void saw(int32_t token);
  // The next token; it counts as seen. Logits that are not numbers are a breakdown.
  Result<int32_t> next(const float* logits, int64_t vocab);

 private:
  SamplingOptions options_;
  Random random_;
  std::deque<int32_t> recent_;
};

}  // namespace tqm::compress
