// Where attempts run. An engine carries out what job/reconcile decides and says what is there; it decides nothing,
// knows no money and no store. Every call may be repeated: what is done already is done. Calls on one engine come from
// one thread at a time.
//
//   start, submit -> start        stop -> permit (stop)        kill -> permit (kill)
//   list          -> the EngineTasks of reconcile; what a claim, a renewal or an end of the store's needs
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/job/reconcile.hpp"
#include "fleet/job/spec.hpp"
#include "task/attempt/record.hpp"
#include "task/children.hpp"

namespace tqm::fleet {

// What a host of the engine can do; shown to users beside their jobs.
struct EngineAbilities {
  std::string memory_limit;    // "enforced" or "polled"
  bool switches_user = false;  // can run tasks as unprivileged users: several organisations are kept apart
};

struct AttemptOrder {
  std::string job;
  int64_t attempt = 1;
  JobSpec spec;
  uint64_t memory_bytes = 0;  // 0: no limit
  int64_t paid_until_s = 0;   // of the attempt's own seconds; 0: no bound
  int64_t time_limit_s = 0;   // of them, that are left to the job; 0: none
  double grace_s = 10;
  std::optional<task::RunAs> run_as = {};  // the organisation's user
};

struct AttemptStatus {
  EngineTask task;                            // for reconcile
  std::optional<task::UseRecord> use = {};    // none: not claimed yet. Its seconds so far; those of the end are exit's
  std::optional<task::ExitRecord> exit = {};  // set exactly where task.gone
};

enum class LogStream { out, err, events };

class Engine {
 public:
  virtual ~Engine() = default;
  virtual EngineAbilities abilities() const = 0;

  // Hands the attempt over; its files are those of the job's last attempt that has a committed checkpoint. The job's
  // work folder is kept between attempts. conflict where another attempt of the job still runs.
  virtual Status start(const AttemptOrder& order) = 0;

  // What the attempt may do from now on. not_found where there is no such attempt; nothing happens where it has ended.
  virtual Status permit(const std::string& job, int64_t attempt, const task::PermitRecord& permit) = 0;

  // Everything that this engine knows, also what an earlier service on the same folder or cluster started: what still
  // runs, is adopted; what can't run any more and has not said so, gets an exit record with the reason `lost`.
  virtual Result<std::vector<AttemptStatus>> list() = 0;

  // Up to most_bytes of a log from this byte on; empty where nothing has been written there yet. The caller counts the
  // bytes it has, and asks again from there.
  virtual Result<std::string> read_log(const std::string& job, int64_t attempt, LogStream stream, uint64_t from,
                                       uint64_t most_bytes) = 0;

  // Removes all of a job's files, also its checkpoints. conflict while something of it runs.
  virtual Status forget(const std::string& job) = 0;
};

}  // namespace tqm::fleet
