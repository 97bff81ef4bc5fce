// Child processes, started side by side; each a process tree that never outlives us. Between us and the child stands
// torquetum-guard, a small program of ours: it gathers the child's orphans, kills the whole tree when we die or ask for
// it, and measures. (A child forked straight from a large process would report that process's peak memory as its own.)
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace tqm::task {

// An unprivileged user of the machine.
struct RunAs {
  uint32_t uid = 0, gid = 0;
  bool operator==(const RunAs&) const = default;
};

struct ChildSpec {
  std::vector<std::string> command = {};   // program (looked for in PATH where it has no slash) and arguments; no shell
  std::filesystem::path work_folder = {};  // empty: ours
  std::vector<std::pair<std::string, std::string>> set_environment = {};  // on top of ours
  std::vector<std::string> unset_environment = {};           // a child that is no task of its own: kTaskVariables
  std::filesystem::path stdout_file = {}, stderr_file = {};  // appended to; empty: ours. Standard input is /dev/null
  uint64_t address_space_bytes = 0;                          // RLIMIT_AS; 0: no limit
  uint64_t file_bytes = 0;                                   // RLIMIT_FSIZE; 0: no limit
  bool no_new_privileges = false;    // neither it nor its children gain any by exec (set-user-id programs)
  std::optional<RunAs> run_as = {};  // none: our own user. Logs are opened before the change, as us
};

extern const std::vector<std::string> kTaskVariables;

struct ChildExit {
  int code = 0;                 // exit code; 128 + signal where a signal ended it
  int signal = 0;               // 0: it ended by itself
  bool guard_lost = false;      // the guard was killed: code and figures are not known, code is 137
  uint64_t peak_rss_bytes = 0;  // largest resident set of one process of the tree
  double user_seconds = 0, system_seconds = 0, wall_seconds = 0;
};

class Child {
 public:
  // A program that can't be started is an Error here, not an exit code.
  static Result<Child> start(const ChildSpec& spec);
  Child(Child&&) noexcept;
  Child& operator=(Child&&) noexcept;
  ~Child();  // kills the tree where it still runs

  int pid() const;                                        // of the command itself; leader of its own process group
  std::optional<ChildExit> wait(double timeout_seconds);  // none: still running. The tree is gone when this answers
  ChildExit wait();
  void terminate();                      // SIGTERM to the process group
  void kill();                           // SIGKILL to the whole tree
  ChildExit stop(double grace_seconds);  // terminate, wait, kill
  int descriptor() const;                // readable (poll) when the child has ended, to wait for several

 private:
  struct State;
  explicit Child(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// How a task ended, as docs/task-contract.md reads its exit: 2 and 75 are believed only with this attempt's report.json
// or committed checkpoint beside them.
enum class Outcome { done, failed, rolled_back, stopped, internal };
Outcome judge_exit(const ChildExit& child_exit, int64_t attempt, const std::filesystem::path& report_folder,
                   const std::filesystem::path& checkpoint_folder);
std::string exit_text(const ChildExit& child_exit);  // "exit 3", "killed by signal 11 (Segmentation fault)"

}  // namespace tqm::task
