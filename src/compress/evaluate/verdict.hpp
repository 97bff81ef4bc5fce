// May the compressed model stay? Original and compressed read the same windows of tokens, in seeded random order,
// teacher-forced; each window gives one number, D = (c − o) − threshold · o, of the mean losses c and o a token. A
// group-sequential test of D's sign (stats/sequential) decides: accept where the upper bound is below zero, roll back
// where the lower one is above, else read on, to a cap. Loss is the relative rise of the mean negative log-likelihood a
// token, (compressed − original) / original.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/runtime/plain_decoder.hpp"
#include "stats/sequential.hpp"

namespace tqm::compress {

struct VerdictOptions {
  double max_loss = 0.03;
  int64_t rounds = 1000;  // windows at most
  int64_t look_every = 50;
  double alpha = 0.05;
  bool all_rounds = false;  // read them all, whatever the looks say; the decision is the first that a look made
  int64_t kl_windows = 16;  // of the first look: also KL(original ‖ compressed), which costs the original's pass again
};

// The state of the test after one look.
struct VerdictLook {
  int64_t rounds = 0;
  double loss = 0, low = 0, high = 0;  // of the loss, with the bounds that the sequential test gives
};

struct VerdictResult {
  stats::Decision decision = stats::Decision::undecided;  // accept, reject, undecided
  int64_t decided_at = 0;                                 // rounds when it fell; 0: never
  int64_t rounds = 0, tokens = 0;                         // read in all, scored tokens
  double original_nll = 0, compressed_nll = 0;            // nats a token
  double loss = 0, low = 0, high = 0;
  double original_top1 = 0, compressed_top1 = 0, agreement = 0;  // shares of the scored tokens
  double kl_mean = 0, kl_p999 = 0;                               // nats; over kl_tokens
  int64_t kl_tokens = 0;
  std::vector<VerdictLook> looks;
  std::vector<double> window_original, window_compressed;  // mean NLL of each window, in the order read
};

// Scores some windows; the verdict asks for them look by look.
using Scorer = std::function<Result<std::vector<WindowScore>>(const std::vector<std::vector<int32_t>>& windows)>;

// windows: in seeded random order, at least 50 (else bad_input saying how many there are); those past options.rounds
// are not read. report: called after each look.
Result<VerdictResult> judge(const std::vector<std::vector<int32_t>>& windows, const Scorer& original,
                            const Scorer& compressed, const Scorer& compressed_with_kl, const VerdictOptions& options,
                            const std::function<Status(const VerdictLook&)>& report = {});

// The bare decision over mean window losses: what judge does, without a model. For simulation and for reports.
Result<stats::SequentialLook> decide(const std::vector<double>& original, const std::vector<double>& compressed,
                                     const VerdictOptions& options, const stats::SequentialTest& test);
Result<stats::SequentialTest> make_test(const VerdictOptions& options, int64_t windows);

Json to_json(const VerdictResult& result, const VerdictOptions& options);

}  // namespace tqm::compress
