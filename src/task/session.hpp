// The tool's side of the task contract (docs/task-contract.md): one Session from a long-running command's start to its
// end. It says how far the work is (events for a program, a bar for a person) and whether it has been asked to stop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "task/environment.hpp"

namespace tqm::task {

struct SessionOptions {
  bool quiet = false;  // nothing about progress on stderr; warnings stay
  bool json = false;   // stderr is read by a program: no plain progress lines, each warning a line of JSON
  std::optional<TaskEnvironment> environment = {};  // none: task_environment()
  const Clock* clock = nullptr;                     // null: the system's
  int screen_fd = 2;                                // progress and warnings for a person
};

// Every method may be called from any thread, and often: progress is thinned to a few events a second.
// Only one Session lives at a time in a process: it owns SIGTERM and SIGINT. The first such signal asks to stop; the
// work has stop_seconds to reach a checkpoint and return; after that, or at a second signal, the process ends at once
// with exit code 75.
class Session {
 public:
  // Fails where the events file can't be opened or a TORQUETUM_ variable is wrong.
  static Result<Session> start(const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // done of total units in this stage ("layers", "tokens"); total 0: not known. Time left comes from this stage's own
  // rate.
  void progress(std::string_view stage, int64_t done, int64_t total, std::string_view unit);
  void metric(std::string_view name, double value, std::string_view unit = "");
  void warning(std::string_view text);
  void artifact(const std::filesystem::path& path,
                std::string_view kind);                             // a file for the user: "model", "report", "plot"
  void checkpoint(int64_t sequence, int64_t files, int64_t bytes);  // CheckpointFolder calls it after a commit

  bool stop_requested() const;
  Status check_stop() const;  // Error{stopped} once asked to; call between units of work: TRY(session.check_stop())
  double grace_left_seconds() const;  // stop_seconds while not asked to stop
  int64_t attempt() const;
  const TaskEnvironment& environment() const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tqm::task
