// The texts of a run, as windows of tokens that never meet: what the quantiser sees, what chooses a repair, what
// judges.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/command/run.hpp"
#include "compress/evaluate/corpus.hpp"

namespace tqm::compress {

constexpr int64_t kVerdictWindow = 256;  // tokens of a round

struct Texts {
  Windows calibration;  // of calibration_length tokens; empty where none is needed
  Windows repair;       // of kVerdictWindow tokens, in random order; empty without --repair
  Windows verdict;      // the same; at least 50
  std::vector<std::string> warnings;
  std::string description;  // "evaluation.jsonl split by document: …"
};

// One file is split by document into the parts that are needed; two are checked to have nothing in common. Too little
// of any part is bad_input, saying how much there is.
Result<Texts> prepare_texts(const RunOptions& options, const Tokenizer& tokenizer);

}  // namespace tqm::compress
