// The subcommands of torquetum port. Each adds itself to the program and gives what runs when it was chosen.
#pragma once

#include <functional>

#include "base/result.hpp"

namespace CLI {
class App;
}

namespace tqm::port {

using Action = std::function<Result<int>()>;

Action add_translate(CLI::App& app);

}  // namespace tqm::port
