// Jobs, attempts and their events in tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/job/meter.hpp"
#include "fleet/job/reconcile.hpp"
#include "fleet/store/database.hpp"

namespace tqm::fleet {

struct JobRow {
  std::string id, organisation, project;
  std::string spec, quote;  // JSON
  std::string node_type;
  int64_t nodes = 1, time_limit_s = 0;
  int64_t submitted_ms = 0;
  JobState state = JobState::queued;
  Want want = Want::run;
  int64_t retries_left = 0;
  Lease lease;
  Moment granted;
  Meter meter;  // its attempt is the lease's
  int64_t events = 0;
};

Status add_job(Connection& connection, const JobRow& job);
Result<JobRow> job_of(Connection& connection, const std::string& id);  // not_found
// State, wish, lease and meter; what was ordered never changes.
Status save_job(Connection& connection, const JobRow& job);
Result<std::vector<JobRow>> jobs_not_final(Connection& connection);

struct AttemptRow {
  std::string job;
  int64_t number = 0;
  std::string holder;
  int64_t granted_ms = 0;
  std::optional<int64_t> ended_ms;
  std::optional<EndReason> reason;
  int64_t seconds = 0;
};
Status add_attempt(Connection& connection, const AttemptRow& attempt);
Status end_attempt(Connection& connection, const AttemptRow& attempt);
Result<std::vector<AttemptRow>> attempts_of(Connection& connection, const std::string& job);

struct EventRow {
  int64_t number = 0, time_ms = 0;
  std::string body;
};
// Numbered 1, 2, 3, … within the job, under the lock of its row: whoever has read up to n and asks for what comes after
// n misses nothing, even where two transactions overlap. The job's number.
Result<int64_t> add_event(Connection& connection, const std::string& job, int64_t time_ms, const std::string& body);
Result<std::vector<EventRow>> events_after(Connection& connection, const std::string& job, int64_t number,
                                           int64_t most);

}  // namespace tqm::fleet
