#include "compress/evaluate/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tqm::compress {
namespace {

constexpr int64_t kHiddenBytes = int64_t{512} << 20;

}  // namespace

Evaluation summarize(const std::vector<WindowScore>& scores) {
  Evaluation result;
  double loss = 0;
  int64_t right = 0;
  for (const WindowScore& score : scores) {
    for (const float nll : score.nll) loss += static_cast<double>(nll);
    for (const uint8_t top : score.top1) right += top;
    result.tokens += static_cast<int64_t>(score.nll.size());
  }
  if (result.tokens == 0) return result;
  result.nll_per_token = loss / static_cast<double>(result.tokens);
  result.perplexity = std::exp(result.nll_per_token);
  result.top1 = static_cast<double>(right) / static_cast<double>(result.tokens);
  return result;
}

Result<Evaluation> evaluate(const Model& model, const Windows& windows, const PlainOptions& options,
                            const std::function<Status(int64_t, int64_t)>& progress) {
  const int64_t most =
      std::max(options.rows_per_step, kHiddenBytes / (model.config.hidden * static_cast<int64_t>(sizeof(float))));
  const auto total = static_cast<int64_t>(windows.size());
  std::vector<WindowScore> scores;
  for (auto from = windows.begin(); from != windows.end();) {
    auto to = from;
    for (int64_t tokens = 0; to != windows.end(); ++to) {
      tokens += static_cast<int64_t>(to->size());
      if (tokens > most && to != from) break;
    }
    const int64_t done = from - windows.begin(), group = to - from;
    // A group's share of the windows passes as its blocks do.
    const auto blocks = [&](int64_t block, int64_t of) {
      return progress ? progress(done + group * block / of, total) : Status();
    };
    auto more = TRY(score_windows(model, Windows(from, to), options, blocks));
    std::move(more.begin(), more.end(), std::back_inserter(scores));
    from = to;
  }
  return summarize(scores);
}

Json to_json(const Evaluation& evaluation) {
  return Json{{"tokens", evaluation.tokens},
              {"nll_per_token", evaluation.nll_per_token},
              {"perplexity", evaluation.perplexity},
              {"top1", evaluation.top1}};
}

}  // namespace tqm::compress
