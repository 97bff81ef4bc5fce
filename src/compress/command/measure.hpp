// Memory, speed and latency of original and result: each in a process of its own, in turn.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/runtime/fast/speed.hpp"
#include "task/session.hpp"

namespace tqm::compress {

struct SideBySide {
  Speed original, compressed;
  int rounds = 0;
};

// original_weights: how the original is held, "as-stored" or "bf16". Runs this program's own `speed` on both models
// alternately, `rounds` times each, and takes the medians. Errors: a child that fails, with what it said.
Result<SideBySide> measure_side_by_side(const std::filesystem::path& original, const std::filesystem::path& tokenizer,
                                        const std::filesystem::path& compressed, const std::string& original_weights,
                                        int threads, int rounds, task::Session& session);

}  // namespace tqm::compress
