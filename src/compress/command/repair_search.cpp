#include "compress/command/repair_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compress/quantize/overlay.hpp"

namespace tqm::compress {
namespace {

constexpr int64_t kOrderWindows = 4;  // order the parts: their divergence is little noise
constexpr int64_t kCountWindows = 40;

double mean_nll(const std::vector<WindowScore>& scores) {
  double sum = 0, count = 0;
  for (const WindowScore& score : scores) {
    sum = std::accumulate(score.nll.begin(), score.nll.end(), sum);
    count += static_cast<double>(score.nll.size());
  }
  return sum / count;
}

Windows first_of(const Windows& windows, int64_t most) {
  return {windows.begin(), windows.begin() + std::min<int64_t>(most, static_cast<int64_t>(windows.size()))};
}

}  // namespace

Result<RepairSearch> RepairSearch::start(const Model& original, const Plan& plan, const Windows& windows,
                                         const PlainOptions& plain, const task::CheckpointFolder& checkpoint,
                                         Baseline& baseline, task::Session& session, Outcome& outcome) {
  RepairSearch search(original, plan, plain, checkpoint, session, outcome);
  const Model compressed = overlay(original, quantized_weights(original, plan, plan, checkpoint));
  const auto restored = [&](const std::string& name) -> Result<QuantTensor> {
    QuantSpec spec = plan.at(name);
    spec.bits = 8;
    return rounded(original, name, spec);
  };
  std::vector<UnitGain> gains =
      TRY(measure_units(original, compressed, plan, restored, first_of(windows, kOrderWindows), plain, session));
  outcome.gains = order_by_gain(std::move(gains));
  search.windows_ = first_of(windows, kCountWindows);
  search.original_nll_ = mean_nll(TRY(baseline.scores(search.windows_)));
  return search;
}

Result<double> RepairSearch::loss_beside_original(const Model& mixed) {
  const auto stop = [this](int64_t, int64_t) { return session_->check_stop(); };
  const std::vector<WindowScore> scores = TRY(score_windows(mixed, windows_, *plain_, stop));
  return mean_nll(scores) / original_nll_ - 1;
}

Result<double> RepairSearch::loss_of(size_t count) {
  for (const auto& [tried, loss] : outcome_->tried)
    if (tried == count) return loss;
  session_->progress("choose how much goes back to 8 bits", static_cast<int64_t>(outcome_->tried.size()), 0, "mixes");
  const Plan mix = raise_units(*plan_, outcome_->gains, count);
  const double loss =
      TRY(loss_beside_original(overlay(*original_, quantized_weights(*original_, *plan_, mix, *checkpoint_))));
  outcome_->tried.emplace_back(count, loss);
  return loss;
}

Result<RepairChoice> RepairSearch::next(double target) {
  const size_t units = outcome_->gains.size();
  const double loss_of_none = TRY(loss_of(0));
  RepairChoice choice = TRY(choose_count(units, target, loss_of_none, [this](size_t count) { return loss_of(count); }));
  if (choice.count == last_) choice.count = std::min(units, last_ + std::max<size_t>(1, last_ / 8));
  last_ = choice.count;
  return choice;
}

Status RepairSearch::compare_uniform(const QuantSpec& asked, double mix_bits) {
  QuantSpec spec = asked;
  const double overhead = average_bits(*plan_, original_->config, *original_->weights) - asked.bits;
  spec.bits = std::clamp(static_cast<int>(std::lround(mix_bits - overhead)), 3, 8);
  const Model uniform = overlay(*original_, [&](const std::string& name) -> Result<std::optional<Weight>> {
    if (!plan_->contains(name)) return std::optional<Weight>();
    QuantTensor tensor = TRY(rounded(*original_, name, spec));
    return std::optional<Weight>(std::move(tensor));
  });
  outcome_->uniform = std::pair(spec.bits, TRY(loss_beside_original(uniform)));
  return {};
}

}  // namespace tqm::compress
