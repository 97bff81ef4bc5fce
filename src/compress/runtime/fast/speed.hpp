// Speed, latency and memory of one model in this process. The caller gives each model a process of its own.
#pragma once

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/runtime/fast/fast_decoder.hpp"

namespace tqm::compress {

struct SpeedOptions {
  FastOptions decoder;
  int64_t prompt = 512, decode = 128;  // tokens
  int64_t repeats = 1;                 // the fastest of them counts; latencies are of all
  uint64_t seed = 1;                   // of the prompt's tokens
};

struct Speed {
  double prefill_tokens_per_s = 0,
         decode_tokens_per_s = 0;  // decode begins with an empty context, as llama-bench's does
  double first_token_ms = 0;       // prompt in, first token out
  double token_p50_ms = 0, token_p95_ms = 0, token_p99_ms = 0;
  FastMemory memory;                    // at the end of prompt + decode
  uint64_t peak_above_empty_bytes = 0;  // resident, over the process before the model was loaded
  std::string kernels;
  int threads = 0;
};

Result<Speed> measure_speed(const Model& model, const SpeedOptions& options, const Clock& clock = system_clock());
Json to_json(const Speed& speed);

}  // namespace tqm::compress
