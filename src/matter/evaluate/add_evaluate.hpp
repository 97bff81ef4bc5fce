// `torquetum matter evaluate`.
#pragma once

#include <functional>

#include "base/result.hpp"

namespace CLI {
class App;
}

namespace tqm::matter {

std::function<Result<int>()> add_evaluate(CLI::App& app);

}  // namespace tqm::matter
