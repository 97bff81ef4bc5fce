// What a run came to: everything its report tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/command/measure.hpp"
#include "compress/command/run.hpp"
#include "compress/command/texts.hpp"
#include "compress/evaluate/verdict.hpp"
#include "compress/quantize/repair.hpp"
#include "report/report.hpp"

namespace tqm::compress {

// One judged mix of formats.
struct Attempt {
  size_t raised = 0;                              // units put back to 8 bits; 0: as asked for
  double average_bits = 0;                        // a weight of the blocks' linear layers, scales included
  double repair_loss = 0;                         // on the repair windows, which chose it
  std::map<std::string, VerdictResult> verdicts;  // by form
  std::map<std::string, uint64_t> weight_bytes;
  bool accepted() const;
  bool undecided() const;  // no form was rolled back, but one at least is undecided
};

struct Continuation {
  std::string prompt, original, compressed;
};

struct Outcome {
  const RunOptions* options = nullptr;
  std::string model_name;
  QuantSpec spec;
  double alpha = 0.05;  // of each attempt's verdict
  std::string texts;
  uint64_t opened_bytes = 0, bf16_bytes = 0;
  std::vector<LinearRecord> records;
  std::vector<UnitGain> gains;                    // measured for a repair
  std::vector<std::pair<size_t, double>> tried;   // units raised, loss on the repair windows
  std::vector<Attempt> attempts;                  // the last decides
  std::optional<std::pair<int, double>> uniform;  // bits, loss of the uniform format of equal size (rounded to nearest)
  std::optional<SideBySide> speed;
  std::string speed_missing;  // why there is no speed
  std::vector<Continuation> continuations;
  std::vector<std::string> warnings;
  report::Verdict verdict = report::Verdict::undecided;
  std::string started, finished;
  int64_t attempt = 1;
  int threads = 0;

  const Attempt& last() const { return attempts.back(); }
};

report::Report make_report(const Outcome& outcome);
std::string summary_table(const Outcome& outcome);  // for a terminal

}  // namespace tqm::compress
