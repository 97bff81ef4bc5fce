#include "compress/command/side_by_side.hpp"

#include <algorithm>

#include "compress/command/continuations.hpp"
#include "compress/command/measure.hpp"

namespace tqm::compress {
namespace {

constexpr int kRounds = 3;  // of measuring
constexpr size_t kBeginnings = 3;
constexpr int64_t kBeginningTokens = 24;

// A file of another format than the plain ones is unpacked to f32 here; nobody serves it so: bf16 is the fair original.
std::string fair_weights(const Model& original) {
  for (const TensorInfo& info : original.weights->tensors())
    if (info.stored_as != "F32" && info.stored_as != "F16" && info.stored_as != "BF16") return "bf16";
  return "as-stored";
}

// The user's prompts, else the beginnings of the first verdict windows.
std::vector<std::string> beginnings(const RunOptions& options, const Model& original, const Windows& windows) {
  if (!options.prompts.empty()) return options.prompts;
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(kBeginnings, windows.size()); ++i) {
    const auto end = windows[i].begin() + std::min(kBeginningTokens, original.config.max_position / 2);
    texts.push_back(original.tokenizer->decode({windows[i].begin(), end}));
  }
  return texts;
}

Result<std::vector<Continuation>> continue_both(const RunOptions& options, const std::filesystem::path& original,
                                                const std::filesystem::path& compressed,
                                                const std::vector<std::string>& prompts, task::Session& session) {
  session.progress("continue the prompts", 0, 2, "models");
  const std::vector<std::string> first =
      TRY(continue_in_child(original, options.tokenizer, prompts, options.threads, session));
  session.progress("continue the prompts", 1, 2, "models");
  const std::vector<std::string> second = TRY(continue_in_child(compressed, {}, prompts, options.threads, session));
  std::vector<Continuation> both;
  for (size_t i = 0; i < prompts.size(); ++i) both.push_back({prompts[i], first[i], second[i]});
  return both;
}

}  // namespace

Status look_side_by_side(const RunOptions& options, const Model& original, const std::filesystem::path& compressed,
                         const Windows& verdict_windows, task::Session& session, Outcome& outcome) {
  if (!options.speed) {
    outcome.speed_missing = "not asked for";
    return {};
  }
  const auto warn = [&](std::string text) {
    session.warning(text);
    outcome.warnings.push_back(std::move(text));
  };
  Result<SideBySide> speed =
      measure_side_by_side({original.path, options.tokenizer, fair_weights(original)}, {compressed, {}, "as-stored"},
                           original.config.max_position, options.threads, kRounds, session);
  TRY(session.check_stop());
  if (speed) {
    outcome.speed = std::move(speed).take();
  } else {
    outcome.speed_missing = speed.error().message();
    warn("no speed was measured: " + outcome.speed_missing);
  }
  Result<std::vector<Continuation>> continued =
      continue_both(options, original.path, compressed, beginnings(options, original, verdict_windows), session);
  TRY(session.check_stop());
  if (continued)
    outcome.continuations = std::move(continued).take();
  else
    warn("the prompts were not continued: " + continued.error().message());
  return {};
}

}  // namespace tqm::compress
