// What has to be done now: a pure function of what is wanted, what is, and the time. It starts nothing and writes
// nothing; whoever carries its actions out may fail, repeat or forget them, and the next pass says what is still due.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/lease/lease.hpp"

namespace tqm::fleet {

enum class JobState { queued, active, paused, unpaid, done, failed, rolled_back, cancelled };
std::string_view name(JobState state);  // "rolled-back"
Result<JobState> parse_job_state(std::string_view word);
bool is_final(JobState state);

enum class Want { run, pause, cancel };
std::string_view name(Want want);
Result<Want> parse_want(std::string_view word);

// Why an attempt ended: shown to the user for each.
enum class EndReason {
  done,
  failed,
  rolled_back,
  stopped,
  paused,
  cancelled,
  unpaid,
  time_limit,
  node_lost,
  silent,
  never_started
};
std::string_view name(EndReason reason);
Result<EndReason> parse_end_reason(std::string_view word);

// What becomes of a job whose attempt has ended so. retries_left: attempts that are still allowed; the reasons that are
// not the job's own doing (pause, credit) cost none.
struct AfterEnd {
  JobState state = JobState::failed;
  bool costs_a_retry = false;
};
AfterEnd after_end(EndReason reason, Want want, int64_t retries_left);

// One job as the store has it. Jobs in a final state need not be given.
struct DesiredJob {
  std::string id;
  std::string node_type;
  int64_t nodes = 1;
  int64_t submitted_ms = 0;  // order of the queue
  JobState state = JobState::queued;
  Want want = Want::run;
  bool affordable = true;  // is there money for the first hold?
  Lease lease;
  int64_t granted_ms = 0;  // when the lease's attempt was granted, in the epoch of `now`
};

// One task as the engine has it.
struct EngineTask {
  std::string job;
  int64_t attempt = 0;
  bool gone = false;       // nothing of it runs, by the engine's word
  bool node_down = false;  // its node is down, by the engine's word: it may still run
};

enum class ActionKind {
  start,      // grant the next attempt and hand it to the engine
  submit,     // hand the granted attempt to the engine again: it does not know it
  stop,       // tell the attempt to stop with a checkpoint
  kill,       // a task of the engine's that belongs to no live attempt
  node_down,  // note the engine's word in the lease
  lose,       // the attempt can't run any more and has not said how it ended: close it
  finish,     // nothing runs, and nothing is to run: the job gets its state
};
std::string_view name(ActionKind kind);

struct Action {
  ActionKind kind = ActionKind::start;
  std::string job;
  int64_t attempt = 0;
  EndReason reason = EndReason::stopped;  // of stop and lose
  JobState state = JobState::queued;      // of finish
  bool operator==(const Action&) const = default;
};

constexpr int64_t kStartMs = 60'000;  // an attempt that nobody claimed for so long has not started

// free: nodes by type that are not in use. Starts in the order of submission, skipping jobs that do not fit, so that a
// large job does not stop small ones of its type; a job that waits for money takes no node.
std::vector<Action> reconcile(std::span<const DesiredJob> desired, std::span<const EngineTask> actual,
                              std::map<std::string, int64_t> free, const Moment& now);

}  // namespace tqm::fleet
