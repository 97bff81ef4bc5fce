// What stands beside the verdict in the report: memory, speed and continuations of original and result.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "compress/command/outcome.hpp"
#include "compress/command/run.hpp"
#include "compress/evaluate/corpus.hpp"
#include "compress/model/model.hpp"
#include "task/session.hpp"

namespace tqm::compress {

// Fills outcome's speed and continuations from the files written, kept or not. A verdict stands without them: what
// fails is a warning of the outcome; only a stop is an error.
Status look_side_by_side(const RunOptions& options, const Model& original, const std::filesystem::path& compressed,
                         const Windows& verdict_windows, task::Session& session, Outcome& outcome);

}  // namespace tqm::compress
