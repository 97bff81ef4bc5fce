#include "fleet/store/job_rows.hpp"

namespace tqm::fleet {
namespace {

constexpr const char* kColumns =
    "id, organisation, project, spec, quote, node_type, nodes, time_limit_s, price_hour, domestic_percent, "
    "sector_percent, "
    "submitted_ms, state, want, retries_left, lease_attempt, lease_state, lease_holder, lease_epoch, lease_ms, "
    "down_epoch, down_ms, "
    "granted_epoch, granted_ms, seconds, paid_to, counted, checkpoint, events";

Result<JobRow> job_from(const Row& row) {
  JobRow job;
  job.id = row.text(0);
  job.organisation = row.text(1);
  job.project = row.text(2);
  job.spec = row.text(3);
  job.quote = row.text(4);
  job.node_type = row.text(5);
  job.nodes = row.number(6);
  job.time_limit_s = row.number(7);
  job.meter.terms = {row.number(8), static_cast<int>(row.number(9)), static_cast<int>(row.number(10))};
  job.submitted_ms = row.number(11);
  job.state = TRY(parse_job_state(row.text(12)));
  job.want = TRY(parse_want(row.text(13)));
  job.retries_left = row.number(14);
  job.lease.attempt = row.number(15);
  job.lease.state = static_cast<LeaseState>(row.number(16));
  job.lease.holder = row.text(17);
  job.lease.renewed = {row.number(18), row.number(19)};
  if (row.number_or_null(20)) job.lease.node_down = Moment{row.number(20), row.number(21)};
  job.granted = {row.number(22), row.number(23)};
  job.meter.attempt = job.lease.attempt;
  job.meter.seconds = row.number(24);
  job.meter.paid_to = row.number(25);
  job.meter.counted = row.number(26);
  job.meter.checkpoint = row.number(27);
  job.events = row.number(28);
  return job;
}

Value epoch_of(const std::optional<Moment>& moment) {
  return moment ? Value(moment->epoch) : Value();
}
Value ms_of(const std::optional<Moment>& moment) {
  return moment ? Value(moment->ms) : Value();
}
std::string word(auto value) {
  return std::string(name(value));
}

}  // namespace

Status add_job(Connection& connection, const JobRow& job) {
  TRY(connection.run(std::string("INSERT INTO job (") + kColumns +
                         ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
                         "$19, $20, $21, $22, $23, $24, $25, "
                         "$26, $27, $28, 0)",
                     {job.id,
                      job.organisation,
                      job.project,
                      job.spec,
                      job.quote,
                      job.node_type,
                      job.nodes,
                      job.time_limit_s,
                      job.meter.terms.price_hour,
                      int64_t{job.meter.terms.domestic_percent},
                      int64_t{job.meter.terms.sector_percent},
                      job.submitted_ms,
                      word(job.state),
                      word(job.want),
                      job.retries_left,
                      job.lease.attempt,
                      static_cast<int64_t>(job.lease.state),
                      job.lease.holder,
                      job.lease.renewed.epoch,
                      job.lease.renewed.ms,
                      epoch_of(job.lease.node_down),
                      ms_of(job.lease.node_down),
                      job.granted.epoch,
                      job.granted.ms,
                      job.meter.seconds,
                      job.meter.paid_to,
                      job.meter.counted,
                      job.meter.checkpoint}));
  return {};
}

Result<JobRow> job_of(Connection& connection, const std::string& id) {
  const Rows rows = TRY(connection.run(std::string("SELECT ") + kColumns + " FROM job WHERE id = $1", {id}));
  if (rows.empty()) return Error{ErrorKind::not_found, "no such job", id, ""};
  return job_from(rows.front());
}

Status save_job(Connection& connection, const JobRow& job) {
  ASSERT(job.meter.attempt == job.lease.attempt);
  TRY(connection.run(
      "UPDATE job SET state = $2, want = $3, retries_left = $4, lease_attempt = $5, lease_state = $6, lease_holder = "
      "$7, "
      "lease_epoch = $8, lease_ms = $9, down_epoch = $10, down_ms = $11, granted_epoch = $12, granted_ms = $13, "
      "seconds = $14, paid_to = $15, counted = $16, checkpoint = $17 WHERE id = $1",
      {job.id, word(job.state), word(job.want), job.retries_left, job.lease.attempt,
       static_cast<int64_t>(job.lease.state), job.lease.holder, job.lease.renewed.epoch, job.lease.renewed.ms,
       epoch_of(job.lease.node_down), ms_of(job.lease.node_down), job.granted.epoch, job.granted.ms, job.meter.seconds,
       job.meter.paid_to, job.meter.counted, job.meter.checkpoint}));
  return {};
}

Result<std::vector<JobRow>> jobs_not_final(Connection& connection) {
  std::vector<JobRow> jobs;
  for (const Row& row :
       TRY(connection.run(std::string("SELECT ") + kColumns +
                          " FROM job WHERE state IN ('queued', 'active', 'paused', 'unpaid') ORDER BY id")))
    jobs.push_back(TRY(job_from(row)));
  return jobs;
}

Status add_attempt(Connection& connection, const AttemptRow& attempt) {
  TRY(connection.run("INSERT INTO attempt (job, number, holder, granted_ms, seconds) VALUES ($1, $2, $3, $4, 0)",
                     {attempt.job, attempt.number, attempt.holder, attempt.granted_ms}));
  return {};
}

Status end_attempt(Connection& connection, const AttemptRow& attempt) {
  TRY(connection.run(
      "UPDATE attempt SET holder = $3, ended_ms = $4, reason = $5, seconds = $6 WHERE job = $1 AND number = $2",
      {attempt.job, attempt.number, attempt.holder, or_null(attempt.ended_ms),
       attempt.reason ? Value(word(*attempt.reason)) : Value(), attempt.seconds}));
  return {};
}

Result<std::vector<AttemptRow>> attempts_of(Connection& connection, const std::string& job) {
  std::vector<AttemptRow> attempts;
  for (const Row& row :
       TRY(connection.run("SELECT number, holder, granted_ms, ended_ms, COALESCE(reason, ''), seconds FROM attempt "
                          "WHERE job = $1 ORDER BY number",
                          {job}))) {
    AttemptRow attempt{job, row.number(0), row.text(1), row.number(2), row.number_or_null(3), {}, row.number(5)};
    if (!row.text(4).empty()) attempt.reason = TRY(parse_end_reason(row.text(4)));
    attempts.push_back(std::move(attempt));
  }
  return attempts;
}

Result<int64_t> add_event(Connection& connection, const std::string& job, int64_t time_ms, const std::string& body) {
  const Rows next = TRY(connection.run("UPDATE job SET events = events + 1 WHERE id = $1 RETURNING events", {job}));
  if (next.empty()) return Error{ErrorKind::not_found, "no such job", job, ""};
  const int64_t number = next.front().number(0);
  TRY(connection.run("INSERT INTO event (job, number, time_ms, body) VALUES ($1, $2, $3, $4)",
                     {job, number, time_ms, body}));
  return number;
}

Result<std::vector<EventRow>> events_after(Connection& connection, const std::string& job, int64_t number,
                                           int64_t most) {
  std::vector<EventRow> events;
  for (const Row& row : TRY(connection.run(
           "SELECT number, time_ms, body FROM event WHERE job = $1 AND number > $2 ORDER BY number LIMIT $3",
           {job, number, most})))
    events.push_back({row.number(0), row.number(1), row.text(2)});
  return events;
}

}  // namespace tqm::fleet
