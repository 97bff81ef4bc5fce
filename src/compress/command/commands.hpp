// The subcommands of torquetum compress. Each adds itself to the program and gives what runs when it was chosen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace CLI {
class App;
}

namespace tqm::compress {

using Action = std::function<Result<int>()>;

Action add_inspect(CLI::App& app);
Action add_evaluate(CLI::App& app);
Action add_run(CLI::App& app, std::vector<std::string> command);
Action add_compare(CLI::App& app);
Action add_generate(CLI::App& app);
Action add_speed(CLI::App& app);
Action add_continuations(CLI::App& app);  // not for users: what run starts as a child

// "3%" or "0.03"; usage error otherwise.
Result<double> parse_share(const std::string& text, const std::string& flag);

}  // namespace tqm::compress
