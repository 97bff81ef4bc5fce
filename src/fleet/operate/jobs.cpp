#include "fleet/operate/jobs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/hash.hpp"
#include "base/json.hpp"
#include "fleet/store/ledger_rows.hpp"

namespace tqm::fleet {
namespace {

Json quote_json(const Quote& quote) {
  return {{"node_type", quote.node_type},
          {"nodes", quote.nodes},
          {"price_from_ms", quote.price_from_ms},
          {"node_hour_microyuan", quote.node_hour},
          {"hour_microyuan", quote.terms.price_hour},
          {"domestic_percent", quote.terms.domestic_percent},
          {"sector_percent", quote.terms.sector_percent},
          {"made_ms", quote.made_ms}};
}

Status tell(Connection& connection, const std::string& job, int64_t time_ms, Json body) {
  TRY(add_event(connection, job, time_ms, dump_json(body, -1)));
  return {};
}

// What may be held now: the lots that can be drawn, as far as the month's limit lets.
struct Reach {
  std::vector<Lot> lots;
  Micro money = 0;
};
Result<Reach> reach(Connection& connection, const std::string& organisation, const Limits& limits, int64_t wall_ms) {
  Reach found;
  const std::vector<Lot> lots = TRY(lots_of(connection, organisation));
  found.lots = drawable(lots, wall_ms);
  found.money = total(found.lots);
  if (limits.month) {
    const Use used = TRY(use_of(connection, organisation, wall_ms));
    found.money = std::min(found.money, left_of_month(limits, used));
  }
  return found;
}

// Holds money for the next seconds as far as it reaches; moves paid_to. The seconds short.
Result<int64_t> pay_ahead(Connection& connection, const Decide& decide, JobRow& job, const Reach& there,
                          int64_t wall_ms) {
  const Extension extension =
      TRY(decide.extend(job.meter, kHoldSeconds + kGraceSeconds, job.time_limit_s, there.money));
  if (extension.hold > 0) {
    const std::string key =
        "hold/" + job.id + "/" + std::to_string(job.meter.attempt) + "/" + std::to_string(extension.after.paid_to);
    const Transaction holding = TRY(decide.hold({job.organisation, job.id}, there.lots, extension.hold, key, wall_ms));
    if (!TRY(post(connection, holding))) return Error{ErrorKind::internal, "a hold that was made before", key, ""};
  }
  job.meter = extension.after;
  return extension.short_of;
}

Status count_use(Connection& connection, const Decide& decide, JobRow& job, const UseReport& use, int64_t wall_ms) {
  const Counted counted = TRY(decide.count(job.meter, use));
  if (counted.charge.gross > 0) {
    const std::string key = "charge/" + job.id + "/" + std::to_string(counted.after.seconds);
    const std::vector<Lot> held = TRY(held_by_job(connection, job.id));
    const Transaction charging =
        TRY(decide.charge({job.organisation, job.id}, held, counted.charge, counted.seconds, key, wall_ms));
    if (!TRY(post(connection, charging))) return Error{ErrorKind::internal, "a charge that was made before", key, ""};
  }
  job.meter = counted.after;
  return {};
}

// What holds for every end: the hold goes back, the attempt is closed, the job gets its state.
Status close(Connection& connection, const Decide& decide, JobRow& job, const std::string& holder, EndReason reason,
             int64_t wall_ms) {
  const std::string key = "release/" + job.id + "/" + std::to_string(job.lease.attempt);
  const std::vector<Lot> held = TRY(held_by_job(connection, job.id));
  if (const auto back = decide.release({job.organisation, job.id}, held, key, wall_ms)) TRY(post(connection, *back));
  job.meter.paid_to = job.meter.seconds;
  const AfterEnd after = decide.after_end(reason, job.want, job.retries_left);
  job.state = after.state;
  if (after.costs_a_retry) --job.retries_left;
  TRY(end_attempt(connection, AttemptRow{job.id, job.lease.attempt, holder, 0, wall_ms, reason, job.meter.counted}));
  TRY(save_job(connection, job));
  return tell(connection, job.id, wall_ms,
              {{"kind", "attempt-ended"},
               {"attempt", job.lease.attempt},
               {"reason", name(reason)},
               {"state", name(job.state)}});
}

Permit permit_of(const Decide& decide, const JobRow& job, int64_t short_of) {
  Permit permit;
  permit.paid_until = decide.paid_until(job.meter);
  if (job.want != Want::run) {
    permit.stop = true;
    permit.why = job.want == Want::cancel ? EndReason::cancelled : EndReason::paused;
  } else {
    permit.why = short_of > 0 ? EndReason::unpaid : EndReason::time_limit;  // where it ends at paid_until
  }
  return permit;
}

}  // namespace

Result<std::string> submit_job(Connection& connection, const Decide& decide, const Submission& submission,
                               const Actor& actor) {
  const std::string hash = sha256_hex(dump_json(spec_json(submission.spec), -1));
  if (const auto before = TRY(answered(connection, submission.organisation, submission.idempotency_key, hash)))
    return *before;
  const OrganisationRow organisation = TRY(organisation_of(connection, submission.organisation));
  JobRow job;
  job.id = submission.id;
  job.organisation = organisation.id;
  job.project = submission.project;
  job.spec = dump_json(spec_json(submission.spec), -1);
  job.quote = dump_json(quote_json(submission.quote), -1);
  job.node_type = submission.spec.node_type;
  job.nodes = submission.spec.nodes;
  job.time_limit_s = submission.spec.time_limit_s;
  job.submitted_ms = actor.now_ms;
  job.retries_left = submission.spec.retries;
  job.meter.terms = submission.quote.terms;
  const Extension first =
      TRY(decide.extend(job.meter, kHoldSeconds + kGraceSeconds, job.time_limit_s, std::numeric_limits<Micro>::max()));
  const Micro there = total(drawable(TRY(lots_of(connection, organisation.id)), actor.now_ms));
  if (first.hold > there)
    return Error{ErrorKind::payment,
                 "the credit does not reach to start: " + yuan_text(first.hold) + " yuan are held first, " +
                     yuan_text(there) + " are free",
                 organisation.id, "top up"};
  TRY(add_job(connection, job));
  TRY(keep_answer(connection, organisation.id, submission.idempotency_key, hash, job.id, actor.now_ms));
  TRY(tell(connection, job.id, actor.now_ms, {{"kind", "submitted"}, {"by", actor.who}}));
  return job.id;
}

Result<bool> start_attempt(Connection& connection, const Decide& decide, const std::string& id, const Now& now) {
  JobRow job = TRY(job_of(connection, id));
  if (is_final(job.state) || job.want != Want::run) return Error{ErrorKind::conflict, "the job is not to run", id, ""};
  const OrganisationRow organisation = TRY(organisation_of(connection, job.organisation));
  const Use more{1, job.nodes, 0};
  const Use used = TRY(use_of(connection, job.organisation, now.wall_ms));
  const bool allowed = decide.check_limits(organisation.limits, used, more, job.organisation).ok();
  JobRow next = job;
  next.lease = TRY(decide.grant_next(job.lease, now.steady));
  next.meter = begin_attempt(job.meter, next.lease.attempt);
  const Reach there = TRY(reach(connection, job.organisation, organisation.limits, now.wall_ms));
  const bool in_time = job.meter.seconds < job.time_limit_s;
  const Extension first = TRY(decide.extend(next.meter, kHoldSeconds + kGraceSeconds, job.time_limit_s, there.money));
  // Less than the grace is not worth a start.
  const bool worth =
      first.after.paid_to - job.meter.seconds > std::min(kGraceSeconds, job.time_limit_s - job.meter.seconds - 1);
  if (!allowed || !in_time || !worth) {
    const JobState state = !in_time ? JobState::failed : !allowed ? JobState::queued : JobState::unpaid;
    if (state != job.state) TRY(finish_job(connection, id, state, now));
    return false;
  }
  TRY(pay_ahead(connection, decide, next, there, now.wall_ms));
  next.state = JobState::active;
  next.granted = now.steady;
  TRY(add_attempt(connection, {id, next.lease.attempt, "", now.wall_ms, {}, {}, 0}));
  TRY(save_job(connection, next));
  TRY(tell(connection, id, now.wall_ms, {{"kind", "attempt-granted"}, {"attempt", next.lease.attempt}}));
  return true;
}

Result<Permit> claim_attempt(Connection& connection, const Decide& decide, const std::string& id, int64_t attempt,
                             const std::string& holder, const Now& now) {
  JobRow job = TRY(job_of(connection, id));
  job.lease = TRY(decide.claim(job.lease, attempt, holder, now.steady));
  TRY(save_job(connection, job));
  return permit_of(decide, job, 0);
}

Result<Permit> renew_attempt(Connection& connection, const Decide& decide, const std::string& id,
                             const std::string& holder, const UseReport& use, const Now& now) {
  JobRow job = TRY(job_of(connection, id));
  job.lease = TRY(decide.renew(job.lease, use.attempt, holder, now.steady));
  TRY(count_use(connection, decide, job, use, now.wall_ms));
  int64_t short_of = 0;
  if (job.want == Want::run) {
    const OrganisationRow organisation = TRY(organisation_of(connection, job.organisation));
    const Reach there = TRY(reach(connection, job.organisation, organisation.limits, now.wall_ms));
    short_of = TRY(pay_ahead(connection, decide, job, there, now.wall_ms));
  }
  TRY(save_job(connection, job));
  return permit_of(decide, job, short_of);
}

Status end_attempt(Connection& connection, const Decide& decide, const std::string& id, const std::string& holder,
                   const UseReport& use, EndReason reason, const Now& now) {
  JobRow job = TRY(job_of(connection, id));
  if (job.lease.attempt == use.attempt && job.lease.holder == holder && job.lease.state == LeaseState::ended) return {};
  TRY(decide.check_write(job.lease, use.attempt, holder));
  TRY(count_use(connection, decide, job, use, now.wall_ms));
  job.lease = TRY(decide.end_lease(job.lease, use.attempt, holder));
  return close(connection, decide, job, holder, reason, now.wall_ms);
}

Status lose_attempt(Connection& connection, const Decide& decide, const std::string& id, int64_t attempt,
                    EndReason reason, const Now& now) {
  JobRow job = TRY(job_of(connection, id));
  if (job.lease.attempt != attempt || job.lease.state == LeaseState::ended) return {};
  if (!is_fenced(job.lease, now.steady))
    return Error{ErrorKind::conflict, "the attempt may still run", id, "wait for the fence"};
  const bool ran = job.lease.state == LeaseState::claimed;
  job.lease.state = LeaseState::ended;
  const Redone again = TRY(decide.redone(job.meter));
  if (ran && again.credit > 0) {
    const Lot lot{"redone-" + id + "-" + std::to_string(attempt), job.organisation, LotKind::credit, {}, again.credit};
    TRY(add_lot(connection, lot, now.wall_ms));
    Transaction credit = TRY(decide.grant(
        {lot, "give/" + lot.id, std::to_string(again.seconds) + " s lost with attempt " + std::to_string(attempt)}, {},
        now.wall_ms));
    credit.job = id;
    TRY(post(connection, credit));
  }
  // Nobody holds it any more: an end that comes late is refused, not taken for one that comes again.
  const std::string holder = std::exchange(job.lease.holder, "");
  return close(connection, decide, job, holder, reason, now.wall_ms);
}

Status note_node_down(Connection& connection, const std::string& id, int64_t attempt, const Now& now) {
  JobRow job = TRY(job_of(connection, id));
  if (job.lease.attempt != attempt) return {};
  job.lease = node_down(job.lease, now.steady);
  return save_job(connection, job);
}

Status finish_job(Connection& connection, const std::string& id, JobState state, const Now& now) {
  JobRow job = TRY(job_of(connection, id));
  if (job.lease.state != LeaseState::ended || is_final(job.state)) return {};
  job.state = state;
  TRY(save_job(connection, job));
  return tell(connection, id, now.wall_ms, {{"kind", "state"}, {"state", name(state)}});
}

Status set_want(Connection& connection, const std::string& id, Want want, const Actor& actor) {
  JobRow job = TRY(job_of(connection, id));
  if (is_final(job.state))
    return Error{ErrorKind::conflict, "the job is " + std::string(name(job.state)), id, "submit it again"};
  if (job.want == Want::cancel && want != Want::cancel)
    return Error{ErrorKind::conflict, "the job is being cancelled", id, ""};
  job.want = want;
  TRY(save_job(connection, job));
  return tell(connection, id, actor.now_ms, {{"kind", "want"}, {"want", name(want)}, {"by", actor.who}});
}

Result<std::vector<DesiredJob>> desired_jobs(Connection& connection, const Decide& decide, const Now& now) {
  std::vector<DesiredJob> desired;
  for (JobRow& row : TRY(jobs_not_final(connection))) {
    DesiredJob job;
    job.id = row.id;
    job.node_type = row.node_type;
    job.nodes = row.nodes;
    job.submitted_ms = row.submitted_ms;
    job.state = row.state;
    job.want = row.want;
    job.granted_ms = alive_ms(row.granted, now.steady);
    if (row.lease.state == LeaseState::ended && row.want == Want::run) {
      const OrganisationRow organisation = TRY(organisation_of(connection, row.organisation));
      const Micro there = TRY(reach(connection, row.organisation, organisation.limits, now.wall_ms)).money;
      const Extension first =
          TRY(decide.extend(begin_attempt(row.meter, row.lease.attempt), kGraceSeconds + 1, row.time_limit_s, there));
      job.affordable = first.short_of == 0;
    }
    job.lease = std::move(row.lease);
    desired.push_back(std::move(job));
  }
  return desired;
}

}  // namespace tqm::fleet
