// The subcommands of torquetum port. Each adds itself to the program and gives what runs when it was chosen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace CLI {
class App;
}

namespace tqm::port {

using Action = std::function<Result<int>()>;

Action add_scan(CLI::App& app);
Action add_translate(CLI::App& app);
Action add_verify(CLI::App& app);

// Not for users: reads the options of one source from standard input as JSON and prints what it holds. A process of its
// own, which Clang may end.
Action add_extract(CLI::App& app);
// program_arguments: what stands behind -- on the command line.
Action add_run(CLI::App& app, std::vector<std::string> program_arguments);

}  // namespace tqm::port
