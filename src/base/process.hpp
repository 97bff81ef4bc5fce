// Running a command to its end and reading what it prints; and facts about our own process. Long-running children are
// task/children.hpp's matter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace tqm {

struct Command {
  std::vector<std::string> arguments = {};  // program first (looked for in PATH where it has no slash); no shell
  std::filesystem::path work_folder = {};   // empty: ours
  std::vector<std::pair<std::string, std::string>> set_environment = {};  // on top of ours
  std::string input = {};                                                 // standard input
  uint64_t most_output_bytes = uint64_t{64} << 20;  // of each stream; what is beyond is dropped and marked
  double timeout_seconds = 0;                       // then SIGKILL to its process group; 0: none
};

struct CommandResult {
  int code = 0;  // 128 + signal where a signal ended it
  int signal = 0;
  bool timed_out = false, output_cut = false;
  std::string output, errors;  // standard output, standard error
};

// Any exit code is a result; not_found where there is no such program.
Result<CommandResult> run_command(const Command& command);

std::optional<std::filesystem::path> find_program(std::string_view name);  // beside our own binary, then in PATH
std::filesystem::path own_binary();
std::optional<std::string> environment_variable(const char* name);  // none where it is unset or empty

uint64_t peak_memory_bytes();  // largest resident set of this process so far (VmHWM); 0 where the system doesn't tell
uint64_t current_memory_bytes();  // VmRSS
int usable_processors();          // that this process may run on, at least 1

}  // namespace tqm
