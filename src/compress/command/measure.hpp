// Memory, speed and latency of original and result: each in a process of its own, in turn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "compress/runtime/fast/speed.hpp"
#include "task/session.hpp"

namespace tqm::compress {

struct SideBySide {
  Speed original, compressed;
  int64_t prompt = 0, decode = 0;  // tokens read and written
  int rounds = 0;
};

struct Measured {
  std::filesystem::path path, tokenizer;  // the latter for llama2.c files
  std::string weights = "as-stored";      // how it is held
};

// Runs this program's own `speed` on both models alternately, `rounds` times each, and takes the medians: 256 tokens
// read and 64 written, fewer in that proportion where the model's context is shorter. Errors: a child that fails, with
// what it said.
Result<SideBySide> measure_side_by_side(const Measured& original, const Measured& compressed, int64_t context,
                                        int threads, int rounds, task::Session& session);

}  // namespace tqm::compress
