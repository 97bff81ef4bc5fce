// This very program once more, in a process of its own, so that what a model takes in memory is that process's alone.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "task/session.hpp"

namespace tqm::compress {

// Runs `torquetum-compress arguments…` to its end and reads the JSON that it prints. doing: "measuring the model's
// speed", where: the model, for the message of a child that fails, which carries what it said. A stop ends the child.
Result<Json> run_own_child(const std::vector<std::string>& arguments, const std::string& doing,
                           const std::string& where, const task::Session& session);

}  // namespace tqm::compress
