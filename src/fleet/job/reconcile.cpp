#include "fleet/job/reconcile.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tqm::fleet {
namespace {

constexpr std::array<std::string_view, 8> kStates = {"queued", "active", "paused",      "unpaid",
                                                     "done",   "failed", "rolled-back", "cancelled"};
constexpr std::array<std::string_view, 3> kWants = {"run", "pause", "cancel"};
constexpr std::array<std::string_view, 11> kReasons = {"done",      "failed",    "rolled-back",  "stopped",
                                                       "paused",    "cancelled", "unpaid",       "time-limit",
                                                       "node-lost", "silent",    "never-started"};
constexpr std::array<std::string_view, 7> kActions = {"start", "submit", "stop", "kill", "node-down", "lose", "finish"};

template <class T, size_t N>
Result<T> parse(const std::array<std::string_view, N>& words, std::string_view word, const char* what) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<T>(found - words.begin());
  return Error{ErrorKind::bad_input, std::string("no such ") + what, std::string(word), ""};
}

EndReason why_stop(Want want) {
  return want == Want::cancel ? EndReason::cancelled : EndReason::paused;
}

// The actions for one job that has an attempt which may be alive.
void look_after_attempt(const DesiredJob& job, const EngineTask* task, const Moment& now,
                        std::vector<Action>& actions) {
  const auto act = [&](ActionKind kind, EndReason reason) {
    actions.push_back({kind, job.id, job.lease.attempt, reason, {}});
  };
  const bool claimed = job.lease.state == LeaseState::claimed;
  if (claimed && task && task->node_down && !job.lease.node_down) act(ActionKind::node_down, EndReason::node_lost);
  if (claimed && is_fenced(job.lease, now)) {
    act(ActionKind::lose, job.lease.node_down || (task && task->node_down) ? EndReason::node_lost : EndReason::silent);
    return;
  }
  if (job.lease.state == LeaseState::granted) {
    if (job.want != Want::run) {
      act(ActionKind::lose, why_stop(job.want));
    } else if ((task && (task->gone || task->node_down)) || now.ms - job.granted_ms > kStartMs) {
      act(ActionKind::lose, EndReason::never_started);
    } else if (!task) {
      act(ActionKind::submit, EndReason::stopped);
    }
    return;
  }
  if (claimed && job.want != Want::run) act(ActionKind::stop, why_stop(job.want));
}

}  // namespace

std::string_view name(JobState state) {
  return kStates[static_cast<size_t>(state)];
}
std::string_view name(Want want) {
  return kWants[static_cast<size_t>(want)];
}
std::string_view name(EndReason reason) {
  return kReasons[static_cast<size_t>(reason)];
}
std::string_view name(ActionKind kind) {
  return kActions[static_cast<size_t>(kind)];
}
Result<JobState> parse_job_state(std::string_view word) {
  return parse<JobState>(kStates, word, "state of a job");
}
Result<Want> parse_want(std::string_view word) {
  return parse<Want>(kWants, word, "wish");
}
Result<EndReason> parse_end_reason(std::string_view word) {
  return parse<EndReason>(kReasons, word, "reason");
}

bool is_final(JobState state) {
  return state >= JobState::done;
}

AfterEnd after_end(EndReason reason, Want want, int64_t retries_left) {
  const JobState otherwise = want == Want::cancel  ? JobState::cancelled
                             : want == Want::pause ? JobState::paused
                                                   : JobState::queued;
  switch (reason) {
    case EndReason::done:
      return {JobState::done, false};
    case EndReason::failed:
      return {JobState::failed, false};
    case EndReason::rolled_back:
      return {JobState::rolled_back, false};
    case EndReason::time_limit:
      return {JobState::failed, false};
    case EndReason::cancelled:
      return {JobState::cancelled, false};
    case EndReason::unpaid:
      return {otherwise == JobState::queued ? JobState::unpaid : otherwise, false};
    case EndReason::paused:
      return {otherwise, false};
    case EndReason::stopped:
    case EndReason::node_lost:
    case EndReason::silent:
    case EndReason::never_started:
      break;
  }
  if (otherwise != JobState::queued) return {otherwise, false};
  return retries_left > 0 ? AfterEnd{JobState::queued, true} : AfterEnd{JobState::failed, false};
}

std::vector<Action> reconcile(std::span<const DesiredJob> desired, std::span<const EngineTask> actual,
                              std::map<std::string, int64_t> free, const Moment& now) {
  std::vector<Action> actions;
  std::unordered_map<std::string_view, const DesiredJob*> by_id;
  by_id.reserve(desired.size());
  for (const DesiredJob& job : desired) by_id.emplace(job.id, &job);
  std::unordered_map<std::string_view, const EngineTask*> tasks;
  for (const EngineTask& task : actual) {
    const auto found = by_id.find(task.job);
    const bool live = found != by_id.end() && found->second->lease.attempt == task.attempt &&
                      found->second->lease.state != LeaseState::ended;
    if (live) {
      tasks.emplace(task.job, &task);
    } else if (!task.gone) {
      actions.push_back({ActionKind::kill, task.job, task.attempt, {}, {}});
    }
  }

  std::vector<const DesiredJob*> waiting;
  for (const DesiredJob& job : desired) {
    if (is_final(job.state)) continue;
    if (job.lease.state != LeaseState::ended) {
      const auto task = tasks.find(job.id);
      look_after_attempt(job, task == tasks.end() ? nullptr : task->second, now, actions);
      continue;
    }
    const JobState wanted = job.want == Want::cancel  ? JobState::cancelled
                            : job.want == Want::pause ? JobState::paused
                            : job.affordable          ? JobState::queued
                                                      : JobState::unpaid;
    if (wanted != job.state) actions.push_back({ActionKind::finish, job.id, job.lease.attempt, {}, wanted});
    if (wanted == JobState::queued) waiting.push_back(&job);
  }
  std::sort(waiting.begin(), waiting.end(), [](const DesiredJob* a, const DesiredJob* b) {
    return a->submitted_ms != b->submitted_ms ? a->submitted_ms < b->submitted_ms : a->id < b->id;
  });
  for (const DesiredJob* job : waiting) {
    const auto there = free.find(job->node_type);
    if (there == free.end() || there->second < job->nodes || !is_fenced(job->lease, now)) continue;
    there->second -= job->nodes;
    actions.push_back({ActionKind::start, job->id, job->lease.attempt + 1, {}, {}});
  }
  return actions;
}

}  // namespace tqm::fleet
