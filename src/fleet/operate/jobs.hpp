// The life of a job in the store, a transaction a step. What the shim and the engine say may come twice, late or in any
// order; what does not belong to the live attempt is refused and changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/catalogue/quote.hpp"
#include "fleet/job/spec.hpp"
#include "fleet/operate/money.hpp"
#include "fleet/store/job_rows.hpp"

namespace tqm::fleet {

constexpr int64_t kGraceSeconds = 10;  // of a stop

// Both clocks of the service: the wall's for people, the one that never goes back for leases.
struct Now {
  int64_t wall_ms = 0;
  Moment steady;
};

struct Submission {
  std::string id;  // of the job, made by the caller
  std::string organisation, project;
  JobSpec spec;
  Quote quote;
  std::string idempotency_key;
};
// Keeps the order with its frozen quote; the answer is the job's id, the first one's where the key came before. payment
// where the credit does not reach one hold.
Result<std::string> submit_job(Connection& connection, const Decide& decide, const Submission& submission,
                               const Actor& actor);

// Grants the next attempt and holds the money for its first seconds. payment, and the job is `unpaid`, where credit or
// a limit does not allow it: false.
Result<bool> start_attempt(Connection& connection, const Decide& decide, const std::string& job, const Now& now);

// What the shim is told: run until this second of your own.
struct Permit {
  int64_t paid_until = 0;
  bool stop = false;  // with a checkpoint, now
  EndReason why = EndReason::stopped;
};
Result<Permit> claim_attempt(Connection& connection, const Decide& decide, const std::string& job, int64_t attempt,
                             const std::string& holder, const Now& now);

// Sign of life and use in one: counts, charges, pays ahead.
Result<Permit> renew_attempt(Connection& connection, const Decide& decide, const std::string& job,
                             const std::string& holder, const UseReport& use, const Now& now);

// The shim's word that nothing of it runs any more, with its last use. Again with the same: nothing.
Status end_attempt(Connection& connection, const Decide& decide, const std::string& job, const std::string& holder,
                   const UseReport& use, EndReason reason, const Now& now);

// Closes an attempt that can't run any more without its word; what was run again after it is credited.
Status lose_attempt(Connection& connection, const Decide& decide, const std::string& job, int64_t attempt,
                    EndReason reason, const Now& now);

// Notes the engine's word that the node of the attempt is down.
Status note_node_down(Connection& connection, const std::string& job, int64_t attempt, const Now& now);

// A job without a live attempt gets its state.
Status finish_job(Connection& connection, const std::string& job, JobState state, const Now& now);

Status set_want(Connection& connection, const std::string& job, Want want, const Actor& actor);

// All jobs that are not final, as reconcile wants them. `affordable`: there is credit for the next seconds and no limit
// in the way.
Result<std::vector<DesiredJob>> desired_jobs(Connection& connection, const Decide& decide, const Now& now);

}  // namespace tqm::fleet
