#include "compress/runtime/fast/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace tqm::compress {
namespace {

Error out_of_range(const char* option, double value, const char* range) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return Error{ErrorKind::usage, std::string(option) + " is " + text, "", std::string("it must be ") + range};
}

struct Candidate {
  int32_t token;
  double weight;
};

// The likeliest first; equals in the order of their ids.
bool likelier(const Candidate& a, const Candidate& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
}

}  // namespace

Status check_sampling(const SamplingOptions& options) {
  if (!(options.temperature >= 0 && options.temperature <= 100)) {
    return out_of_range("the temperature", options.temperature, "between 0 and 100");
  }
  if (options.top_k < 0) return out_of_range("top-k", static_cast<double>(options.top_k), "0 (all) or more");
  if (!(options.top_p > 0 && options.top_p <= 1)) return out_of_range("top-p", options.top_p, "above 0 and at most 1");
  if (!(options.min_p >= 0 && options.min_p <= 1)) return out_of_range("min-p", options.min_p, "between 0 and 1");
  if (!(options.repetition_penalty > 0 && options.repetition_penalty <= 100)) {
    return out_of_range("the repetition penalty", options.repetition_penalty, "above 0 and at most 100");
  }
  if (options.repetition_window < 0) {
    return out_of_range("the repetition window", static_cast<double>(options.repetition_window), "0 or more");
  }
  return {};
}

void Sampler::saw(int32_t token) {
  if (options_.repetition_penalty == 1) return;
  recent_.push_back(token);
  if (static_cast<int64_t>(recent_.size()) > options_.repetition_window) recent_.pop_front();
}

Result<int32_t> Sampler::next(const float* logits, int64_t vocab) {
  std::vector<float> penalised;
  if (!recent_.empty()) {
    penalised.assign(logits, logits + vocab);
    const auto penalty = static_cast<float>(options_.repetition_penalty);
    for (const int32_t token : std::set<int32_t>(recent_.begin(), recent_.end())) {
      float& logit = penalised[static_cast<size_t>(token)];
      logit = logit > 0 ? logit / penalty : logit * penalty;
    }
    logits = penalised.data();
  }
  int64_t best = 0;
  for (int64_t token = 0; token < vocab; ++token) {
    if (std::isnan(logits[token]) || logits[token] == INFINITY) {
      return Error{ErrorKind::breakdown, "the model's logits are not finite numbers", "token " + std::to_string(token),
                   "check the weights with torquetum compress inspect"};
    }
    if (logits[token] > logits[best]) best = token;
  }
  if (options_.temperature == 0) {
    saw(static_cast<int32_t>(best));
    return static_cast<int32_t>(best);
  }

  // exp((logit − best) / temperature): the most likely token weighs 1, so min-p needs no sum.
  std::vector<Candidate> candidates;
  for (int64_t token = 0; token < vocab; ++token) {
    const double weight = std::exp(static_cast<double>(logits[token] - logits[best]) / options_.temperature);
    if (weight >= options_.min_p && weight > 0) candidates.push_back({static_cast<int32_t>(token), weight});
  }
  if (options_.top_k > 0 && static_cast<size_t>(options_.top_k) < candidates.size()) {
    const auto end = candidates.begin() + options_.top_k;
    std::nth_element(candidates.begin(), end - 1, candidates.end(), likelier);
    candidates.erase(end, candidates.end());
  }
  std::sort(candidates.begin(), candidates.end(), likelier);
  const auto add = [](double sum, const Candidate& c) { return sum + c.weight; };
  double total = std::accumulate(candidates.begin(), candidates.end(), 0.0, add);
  if (options_.top_p < 1) {
    double reached = 0;
    size_t kept = 0;
    while (kept < candidates.size() && reached < options_.top_p * total) reached += candidates[kept++].weight;
    candidates.resize(std::max<size_t>(kept, 1));
    total = std::accumulate(candidates.begin(), candidates.end(), 0.0, add);
  }
  double left = random_.uniform() * total;
  int32_t chosen = candidates.back().token;
  for (const Candidate& candidate : candidates) {
    left -= candidate.weight;
    if (left < 0) {
      chosen = candidate.token;
      break;
    }
  }
  saw(chosen);
  return chosen;
}

}  // namespace tqm::compress
