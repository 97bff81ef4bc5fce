#include "compress/evaluate/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace tqm::compress {
namespace {

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mean_nll(const WindowScore& score) {
  return score.nll.empty()
             ? 0
             : std::accumulate(score.nll.begin(), score.nll.end(), 0.0) / static_cast<double>(score.nll.size());
}

}  // namespace

Result<stats::SequentialTest> make_test(const VerdictOptions& options, int64_t windows) {
  constexpr int64_t kFewest = 50;
  const int64_t cap = std::min(options.rounds, windows);
  if (cap < kFewest)
    return Error{ErrorKind::bad_input, "a verdict needs at least 50 windows, there are " + std::to_string(cap),
                 "--text", "give a longer text (or more --rounds)"};
  if (!(options.max_loss > 0 && options.max_loss < 1))
    return Error{ErrorKind::usage, "the largest loss allowed lies between 0 and 100 %", "--max-loss", "say e.g. 3%"};
  stats::SequentialPlan plan;
  plan.cap = cap;
  plan.first_look = std::min(kFewest, cap);
  plan.look_every = options.look_every;
  plan.alpha = options.alpha;
  return stats::SequentialTest::create(plan);
}

Result<stats::SequentialLook> decide(const std::vector<double>& original, const std::vector<double>& compressed,
                                     const VerdictOptions& options, const stats::SequentialTest& test) {
  std::vector<double> differences(original.size());
  for (size_t i = 0; i < original.size(); ++i)
    differences[i] = (compressed[i] - original[i]) - options.max_loss * original[i];
  return test.look(differences);
}

Result<VerdictResult> judge(const std::vector<std::vector<int32_t>>& windows, const Scorer& original,
                            const Scorer& compressed, const Scorer& compressed_with_kl, const VerdictOptions& options,
                            const std::function<Status(const VerdictLook&)>& report) {
  stats::SequentialTest test = TRY(make_test(options, static_cast<int64_t>(windows.size())));
  VerdictResult result;
  double original_hits = 0, compressed_hits = 0, agreed = 0;
  std::vector<float> kl;
  stats::SequentialLook last;
  for (int64_t next = test.next_look(0); next > 0; next = test.next_look(next)) {
    std::vector<std::vector<int32_t>> batch(windows.begin() + result.rounds, windows.begin() + next);
    std::vector<WindowScore> o = TRY(original(batch));
    std::vector<WindowScore> c;
    if (result.rounds == 0 && compressed_with_kl && options.kl_windows > 0) {
      const auto some = std::min<int64_t>(options.kl_windows, next);
      c = TRY(compressed_with_kl({batch.begin(), batch.begin() + some}));
      for (const WindowScore& score : c) kl.insert(kl.end(), score.kl.begin(), score.kl.end());
      batch.erase(batch.begin(), batch.begin() + some);
    }
    if (!batch.empty()) {
      std::vector<WindowScore> others = TRY(compressed(batch));
      std::move(others.begin(), others.end(), std::back_inserter(c));
    }
    ASSERT(o.size() == c.size());
    for (size_t i = 0; i < o.size(); ++i) {
      ASSERT(o[i].nll.size() == c[i].nll.size());
      result.window_original.push_back(mean_nll(o[i]));
      result.window_compressed.push_back(mean_nll(c[i]));
      result.tokens += static_cast<int64_t>(o[i].nll.size());
      for (size_t t = 0; t < o[i].nll.size(); ++t) {
        original_hits += o[i].top1[t];
        compressed_hits += c[i].top1[t];
        agreed += o[i].argmax[t] == c[i].argmax[t];
      }
    }
    result.rounds = next;
    last = TRY(decide(result.window_original, result.window_compressed, options, test));
    const double o_mean = mean(result.window_original), c_mean = mean(result.window_compressed);
    if (!(o_mean > 0))
      return Error{ErrorKind::breakdown, "the original predicts every token for certain, so no relative loss exists",
                   "", "judge on text that the model does not know by heart"};
    result.loss = (c_mean - o_mean) / o_mean;
    // The bounds are of D's mean at the last look that the test took; around the loss of all that was read.
    result.low = result.loss - (last.mean - last.low) / o_mean;
    result.high = result.loss + (last.high - last.mean) / o_mean;
    result.looks.push_back({next, result.loss, result.low, result.high});
    if (report) TRY(report(result.looks.back()));
    if (last.decision != stats::Decision::go_on && result.decided_at == 0 &&
        last.decision != stats::Decision::undecided) {
      result.decided_at = last.count;
      result.decision = last.decision;
    }
    if (result.decided_at > 0 && !options.all_rounds) break;
  }
  result.original_nll = mean(result.window_original);
  result.compressed_nll = mean(result.window_compressed);
  const double n = static_cast<double>(std::max<int64_t>(1, result.tokens));
  result.original_top1 = original_hits / n;
  result.compressed_top1 = compressed_hits / n;
  result.agreement = agreed / n;
  result.kl_tokens = static_cast<int64_t>(kl.size());
  if (!kl.empty()) {
    result.kl_mean = std::accumulate(kl.begin(), kl.end(), 0.0) / static_cast<double>(kl.size());
    const size_t at = std::min(kl.size() - 1, static_cast<size_t>(std::ceil(0.999 * static_cast<double>(kl.size()))));
    std::nth_element(kl.begin(), kl.begin() + static_cast<int64_t>(at), kl.end());
    result.kl_p999 = kl[at];
  }
  return result;
}

Json to_json(const VerdictResult& result, const VerdictOptions& options) {
  Json looks = Json::array();
  for (const VerdictLook& look : result.looks)
    looks.push_back({{"rounds", look.rounds}, {"loss", look.loss}, {"low", look.low}, {"high", look.high}});
  return {{"decision", std::string(stats::name(result.decision))},
          {"max_loss", options.max_loss},
          {"alpha", options.alpha},
          {"cap", options.rounds},
          {"decided_at", result.decided_at},
          {"rounds", result.rounds},
          {"tokens", result.tokens},
          {"loss", result.loss},
          {"loss_low", result.low},
          {"loss_high", result.high},
          {"original",
           {{"nll_per_token", result.original_nll},
            {"perplexity", std::exp(result.original_nll)},
            {"top1", result.original_top1}}},
          {"compressed",
           {{"nll_per_token", result.compressed_nll},
            {"perplexity", std::exp(result.compressed_nll)},
            {"top1", result.compressed_top1}}},
          {"perplexity_rise", std::exp(result.compressed_nll - result.original_nll) - 1},
          {"agreement", result.agreement},
          {"kl_mean", result.kl_mean},
          {"kl_p999", result.kl_p999},
          {"kl_tokens", result.kl_tokens},
          {"looks", looks},
          {"window_original_nll", result.window_original},
          {"window_compressed_nll", result.window_compressed}};
}

}  // namespace tqm::compress
