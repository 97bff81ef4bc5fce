#include "compress/command/texts.hpp"

#include <algorithm>

namespace tqm::compress {
namespace {

constexpr int64_t kFewestCalibration = 16, kMostCalibration = 128;  // windows, where the user names no number

Error too_short(const std::string& what, size_t have, int64_t need, int64_t length, const std::filesystem::path& path,
                const std::string& next) {
  return Error{ErrorKind::bad_input,
               "the " + what + " text is too short: it gives " + std::to_string(have) + " windows of " +
                   std::to_string(length) + " tokens, " + std::to_string(need) + " are needed",
               path.string(), next};
}

}  // namespace

Result<Texts> prepare_texts(const RunOptions& options, const Tokenizer& tokenizer) {
  if (options.text.empty() && options.calibration.empty())
    return Error{ErrorKind::usage, "no text to judge on", "--text FILE",
                 "name a text file (or JSON lines with \"text\") that the model's users would write"};
  const bool calibrate = options.method == Method::gptq;
  const bool one_file = options.text.empty() || options.calibration.empty() || !calibrate;
  const std::filesystem::path& main_file = options.text.empty() ? options.calibration : options.text;
  Texts texts;
  std::vector<std::string> documents = TRY(read_documents(main_file));
  std::vector<std::string> calibration;
  std::vector<double> shares;
  const double repair_share = options.repair ? 0.1 : 0;
  if (one_file) {
    const double calibration_share = calibrate ? 0.15 : 0;
    auto parts = split_documents(std::move(documents),
                                 {calibration_share, repair_share, 1 - calibration_share - repair_share}, options.seed);
    calibration = std::move(parts[0]);
    texts.repair = sampled_windows(tokenizer, parts[1], kVerdictWindow, options.seed + 1, options.bos, options.eos);
    texts.verdict = sampled_windows(tokenizer, parts[2], kVerdictWindow, options.seed + 2, options.bos, options.eos);
    texts.description = main_file.filename().string() + ", split by document";
  } else {
    calibration = TRY(read_documents(options.calibration));
    TRY(check_apart(calibration, options.calibration.string(), documents, options.text.string()));
    auto parts = split_documents(std::move(documents), {repair_share, 1 - repair_share}, options.seed);
    texts.repair = sampled_windows(tokenizer, parts[0], kVerdictWindow, options.seed + 1, options.bos, options.eos);
    texts.verdict = sampled_windows(tokenizer, parts[1], kVerdictWindow, options.seed + 2, options.bos, options.eos);
    texts.description = options.text.filename().string() + ", calibrated on " + options.calibration.filename().string();
  }
  if (!calibrate && ((!options.calibration.empty() && !options.text.empty()) || options.calibration_windows > 0))
    texts.warnings.push_back(options.calibration.empty() || options.text.empty()
                                 ? "nothing is calibrated here: the calibration's options have no effect"
                                 : "nothing is calibrated here: " + options.calibration.string() + " was not read");
  if (calibrate) {
    texts.calibration =
        !one_file && options.calibration_token >= 0
            ? TRY(stream_windows(tokenizer, options.calibration, options.calibration_length, options.calibration_token))
            : sampled_windows(tokenizer, calibration, options.calibration_length, options.seed + 3, options.bos,
                              options.eos);
    const size_t have = texts.calibration.size();
    // Not said: what the part gives, within what is worth its time.
    const int64_t need = options.calibration_windows > 0 ? options.calibration_windows : kFewestCalibration;
    if (static_cast<int64_t>(have) < need)
      return too_short("calibration", have, need, options.calibration_length,
                       one_file ? main_file : options.calibration,
                       "give a longer text, or say --calibration-windows " + std::to_string(have) +
                           " or a smaller --calibration-length");
    texts.calibration.resize(std::min(
        have, static_cast<size_t>(options.calibration_windows > 0 ? options.calibration_windows : kMostCalibration)));
  }
  if (options.repair && texts.repair.size() < 8)
    return too_short("repair", texts.repair.size(), 8, kVerdictWindow, main_file, "give a longer text");
  if (texts.verdict.size() < 50)
    return too_short("verdict", texts.verdict.size(), 50, kVerdictWindow, main_file, "give a longer text");
  if (static_cast<int64_t>(texts.verdict.size()) < options.rounds)
    texts.warnings.push_back("the verdict has " + std::to_string(texts.verdict.size()) + " rounds at most, not " +
                             std::to_string(options.rounds) + ": the text is no longer than that");
  return texts;
}

}  // namespace tqm::compress
