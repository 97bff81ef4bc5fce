// torquetum compress run: quantise, write, reload what was written, judge it beside the original; keep it, repair it or
// roll it back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "compress/quantize/blocks.hpp"

namespace tqm::compress {

struct RunOptions {
  std::filesystem::path model, tokenizer, out;
  Method method = Method::gptq;
  std::string format = "int4";  // int8-w8a8, int8, int4, int3; f16: nothing is quantised, only another form written
  int64_t group = 64;           // 0: one scale a row; W8A8 always is one scale a row
  bool asymmetric = false;
  ScaleRule scale_rule = ScaleRule::mse;
  std::vector<std::string> ignore;
  std::vector<std::pair<std::string, int>> bits;
  std::vector<std::string> write = {"compressed-tensors"};
  std::filesystem::path calibration, text;  // either may be missing: then the one given is split by document
  bool bos = false, eos = false;            // around each document
  int64_t calibration_windows = 0;          // 0: as many as the text gives, 16 to 128
  int64_t calibration_length = 512;
  int64_t calibration_token = -1;  // the calibration file's windows from this token on, in its order; −1: drawn by seed
  double max_loss = 0.03;
  int64_t rounds = 1000;
  bool all_rounds = false, repair = false, dry_run = false, json = false, quiet = false, speed = true;
  std::string chip;  // refuse what this chip can't compute; empty: not asked
  std::string device = "cpu";
  int threads = 0;
  uint64_t seed = 1;
  std::filesystem::path report, work, scores;
  std::vector<std::string> prompts;
  std::vector<std::string> command;  // argv, for the report
};

inline constexpr std::string_view kPlainFormat = "f16";

// Exit code 0 (accepted, repaired), 2 (rolled back, undecided: nothing stands under out); errors as they are. The
// report is written in every case that comes to a verdict.
Result<int> run(const RunOptions& options);

}  // namespace tqm::compress
