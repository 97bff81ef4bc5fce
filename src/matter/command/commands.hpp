// The subcommands of torquetum matter. Each adds itself to the program and gives what runs when it was chosen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace CLI {
class App;
}

namespace tqm::matter {

using Action = std::function<Result<int>()>;

Action add_convert(CLI::App& app);
Action add_inspect(CLI::App& app);
Action add_order(CLI::App& app);
// command: the whole command line, for the report.
Action add_clean(CLI::App& app, std::vector<std::string> command);
Action add_transport(CLI::App& app, std::vector<std::string> command);

}  // namespace tqm::matter
