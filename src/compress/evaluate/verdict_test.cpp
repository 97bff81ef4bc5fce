#include "compress/evaluate/verdict.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "base/json.hpp"
#include "base/random.hpp"

namespace tqm::compress {
namespace {

// Mean losses of windows of 256 tokens, as measured: SmolLM2-135M-Instruct against itself at 4 bits, groups of 64,
// rounded to nearest, on the demo's text.
struct Measured {
  std::vector<double> original, compressed;
};
Measured measured() {
  const std::string path = std::string(TQM_SOURCE_DIR) + "/tests/cases/compress/verdict/windows.json";
  const Json json = std::move(read_json(path)).take();
  return {json["original"].get<std::vector<double>>(), json["compressed"].get<std::vector<double>>()};
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct Counts {
  int accepted = 0, accepted_by_300 = 0, rejected = 0, undecided = 0;
};

// Runs of resampled windows whose true loss is the given one: each window's difference is moved by the same share of
// its original, so that the spread stays as measured.
Counts simulate(const Measured& windows, double true_loss, int runs, uint64_t seed) {
  VerdictOptions options;
  const stats::SequentialTest test = std::move(make_test(options, 1000)).take();
  const double shift = true_loss - (mean(windows.compressed) / mean(windows.original) - 1);
  Random random(seed);
  Counts counts;
  std::vector<double> original(1000), compressed(1000);
  for (int run = 0; run < runs; ++run) {
    for (size_t i = 0; i < 1000; ++i) {
      const size_t at = static_cast<size_t>(random.below(windows.original.size()));
      original[i] = windows.original[at];
      compressed[i] = windows.compressed[at] + shift * windows.original[at];
    }
    const stats::SequentialLook look = std::move(decide(original, compressed, options, test)).take();
    if (look.decision == stats::Decision::accept) {
      ++counts.accepted;
      counts.accepted_by_300 += look.count <= 300;
    }
    counts.rejected += look.decision == stats::Decision::reject;
    counts.undecided += look.decision == stats::Decision::undecided;
  }
  return counts;
}

TEST(Verdict, ErrsNoMoreOftenThanPromisedOnMeasuredWindows) {
  const Measured windows = measured();
  ASSERT_GE(windows.original.size(), 200U);
  constexpr int kRuns = 2000;
  const Counts at = simulate(windows, 0.03, kRuns, 1);
  EXPECT_LE(at.accepted, 0.06 * kRuns);
  EXPECT_LE(at.rejected, 0.06 * kRuns);
  const Counts half = simulate(windows, 0.015, kRuns, 2);
  EXPECT_GE(half.accepted_by_300, 0.95 * kRuns);
  const Counts above = simulate(windows, 0.045, kRuns, 3);
  EXPECT_GE(above.rejected, 0.95 * kRuns);
  EXPECT_EQ(above.accepted, 0);
  RecordProperty("accepted_at_threshold", at.accepted);
  std::printf(
      "at the threshold: %d of %d accepted, %d rolled back; at half: %d accepted within 300 rounds; at 1.5 times: %d "
      "rolled back\n",
      at.accepted, kRuns, at.rejected, half.accepted_by_300, above.rejected);
}

// Scores made up of one loss a window.
std::vector<WindowScore> flat(const std::vector<std::vector<int32_t>>& windows, float loss, float wave) {
  std::vector<WindowScore> scores;
  for (const auto& window : windows) {
    WindowScore score;
    score.nll.assign(window.size() - 1, loss + wave * static_cast<float>(window[0] % 7 - 3));
    score.top1.assign(window.size() - 1, 1);
    score.argmax.assign(window.size() - 1, window[0] % 2);
    scores.push_back(std::move(score));
  }
  return scores;
}

std::vector<std::vector<int32_t>> numbered(int count) {
  std::vector<std::vector<int32_t>> windows;
  for (int i = 0; i < count; ++i) windows.push_back({i, 1, 2, 3});
  return windows;
}

VerdictResult judged(float compressed, const VerdictOptions& options, int windows = 400) {
  auto result = judge(
      numbered(windows), [](const auto& w) -> Result<std::vector<WindowScore>> { return flat(w, 3, 0.01F); },
      [&](const auto& w) -> Result<std::vector<WindowScore>> { return flat(w, compressed, 0.02F); }, {}, options);
  EXPECT_TRUE(result.ok());
  return std::move(result).take();
}

TEST(Verdict, StopsAsSoonAsItIsDecidedAndReadsOnOnlyWhenAsked) {
  VerdictOptions options;
  const VerdictResult good = judged(3.01F, options);
  EXPECT_EQ(good.decision, stats::Decision::accept);
  EXPECT_EQ(good.rounds, 50);
  EXPECT_NEAR(good.loss, 0.01 / 3, 1e-3);
  EXPECT_LT(good.high, 0.03);
  EXPECT_EQ(good.agreement, 1);
  const VerdictResult bad = judged(3.3F, options);
  EXPECT_EQ(bad.decision, stats::Decision::reject);
  EXPECT_GT(bad.low, 0.03);
  const VerdictResult near = judged(3.09F, options);
  EXPECT_EQ(near.decision, stats::Decision::undecided);
  EXPECT_EQ(near.rounds, 400);
  options.all_rounds = true;
  const VerdictResult all = judged(3.01F, options);
  EXPECT_EQ(all.decision, stats::Decision::accept);
  EXPECT_EQ(all.decided_at, 50);
  EXPECT_EQ(all.rounds, 400);
}

TEST(Verdict, RefusesTooFewWindowsAndNonsense) {
  VerdictOptions options;
  EXPECT_NE(make_test(options, 49).error().message().find("at least 50 windows, there are 49"), std::string::npos);
  options.max_loss = 0;
  EXPECT_EQ(make_test(options, 100).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace tqm::compress
