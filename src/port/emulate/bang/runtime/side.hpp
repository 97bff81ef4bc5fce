// A side: compiled kernels and this library as a program. `side FOLDER [options]` runs the launch of FOLDER/case.json
// and leaves FOLDER/NAME.out and FOLDER/result.json; see port/launch/launch_case.hpp.
#pragma once

#include <filesystem>

#include "port/emulate/bang/runtime/machine.hpp"
#include "port/launch/launch_case.hpp"

namespace tqm::port::bang {

struct SideArguments {
  std::filesystem::path folder;
  Options options;
};

// FOLDER [--order forward|reverse|random] [--seed N] [--poison 1|2] [--schedule eager|latest|random]
// [--precision exact|worst] [--max-blocks N]
Result<SideArguments> read_side_arguments(int count, char** words);

// Runs a kernel of the registry on a fresh machine.
Result<LaunchResult> run_side(const SideArguments& arguments);

}  // namespace tqm::port::bang
