// How well a model predicts a text: mean negative log-likelihood a token, perplexity, and how often its first choice is
// right.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/evaluate/corpus.hpp"
#include "compress/runtime/plain_decoder.hpp"

namespace tqm::compress {

struct Evaluation {
  int64_t tokens = 0;        // scored: each token of a window but the first
  double nll_per_token = 0;  // nats
  double perplexity = 0;     // exp(nll_per_token)
  double top1 = 0;           // share of tokens that were the arg max
};

Evaluation summarize(const std::vector<WindowScore>& scores);

// On the plain path. The windows go through the blocks in groups whose hidden states fit some hundred MB. progress:
// (windows done, windows). Errors as score_windows.
Result<Evaluation> evaluate(const Model& model, const Windows& windows, const PlainOptions& options,
                            const std::function<Status(int64_t, int64_t)>& progress = {});

// {"tokens", "nll_per_token", "perplexity", "top1"}
Json to_json(const Evaluation& evaluation);

}  // namespace tqm::compress
