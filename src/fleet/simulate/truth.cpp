#include "fleet/simulate/truth.hpp"

#include "fleet/store/ledger_rows.hpp"

namespace tqm::fleet {
namespace {

std::string money(Micro amount) {
  return yuan_text(amount);
}

// Statements that must find nothing, with what it means where they do.
struct Rule {
  const char* meaning;
  const char* sql;  // its first column is a text that names the culprit
};
constexpr Rule kRules[] = {
    {"money was drawn from an expired lot",
     "SELECT l.id FROM entry e JOIN posted p ON p.number = e.posted JOIN lot l ON e.account = 'lot/' || l.id "
     "WHERE p.kind = 'hold' AND l.expires_ms <= p.time_ms LIMIT 1"},
    {"money went back into an expired lot",
     "SELECT l.id FROM entry e JOIN posted p ON p.number = e.posted JOIN lot l ON e.account = 'lot/' || l.id "
     "WHERE p.kind = 'release' AND l.expires_ms <= p.time_ms LIMIT 1"},
    {"a lot was taken before it expired",
     "SELECT l.id FROM entry e JOIN posted p ON p.number = e.posted JOIN lot l ON e.account = 'lot/' || l.id "
     "WHERE p.kind = 'expire' AND (l.expires_ms IS NULL OR l.expires_ms > p.time_ms) LIMIT 1"},
    {"two trial credits",
     "SELECT organisation FROM lot WHERE kind = 'trial' GROUP BY organisation HAVING COUNT(*) > 1"},
    {"research vouchers above the limit",
     "SELECT organisation FROM lot WHERE kind = 'research' GROUP BY organisation HAVING SUM(amount) > 50000000000"},
    {"a gap in the events of a job", "SELECT job FROM event GROUP BY job HAVING COUNT(*) <> MAX(number)"},
    {"events that the job does not know of",
     "SELECT j.id FROM job j WHERE j.events <> (SELECT COUNT(*) FROM event e WHERE e.job = j.id)"},
    {"a job beyond its hold or its time", "SELECT id FROM job WHERE seconds > paid_to OR paid_to > time_limit_s"},
    {"more attempts open than one", "SELECT job FROM attempt WHERE reason IS NULL GROUP BY job HAVING COUNT(*) > 1"},
    {"an attempt that counted more seconds than its job",
     "SELECT j.id FROM job j WHERE j.seconds <> j.counted + (SELECT COALESCE(SUM(a.seconds), 0) FROM attempt a "
     "WHERE a.job = j.id AND a.number <> j.lease_attempt)"},
};

}  // namespace

Micro true_price(const Terms& terms, int64_t seconds) {
  __extension__ using Wide = __int128;
  const Wide gross = Wide{terms.price_hour} * seconds / 3600;
  const Wide domestic = gross * terms.domestic_percent / 100;
  return static_cast<Micro>(gross - domestic - (gross - domestic) * terms.sector_percent / 100);
}

Result<std::string> check_job(Connection& connection, const Truth& truth, const std::string& id) {
  const JobRow row = TRY(job_of(connection, id));
  const TrueJob& job = truth.jobs.at(id);
  if (!(row.meter.terms == job.terms)) return "job " + id + " has another price than its order";
  if (row.meter.seconds > row.meter.paid_to) return "job " + id + " ran beyond what is paid for";
  if (row.meter.paid_to > job.time_limit_s) return "job " + id + " is paid beyond its time limit";
  if (job.lost > job.retries + 1) return "job " + id + " was started again more often than its retries allow";
  if (!job.ended_as.empty() && name(row.state) != job.ended_as)
    return "job " + id + " ended as " + job.ended_as + " and is now " + std::string(name(row.state));
  Micro held = 0;
  std::vector<std::string> accounts;
  for (const Lot& lot : TRY(held_by_job(connection, id))) {
    held += lot.balance;
    accounts.push_back(held_account(id, lot.id));
    accounts.push_back(lot_account(lot.id));
  }
  const Micro should = true_price(job.terms, row.meter.paid_to) - true_price(job.terms, row.meter.seconds);
  if (held != should) return "job " + id + " holds " + money(held) + ", and its paid seconds cost " + money(should);
  for (const std::string& fault : TRY(verify_accounts(connection, accounts))) return fault;
  return std::string();
}

Result<std::string> check_organisation(Connection& connection, const Truth& truth, const std::string& id,
                                       int64_t wall_ms) {
  const auto limits = truth.limits.find(id);
  if (limits == truth.limits.end()) return std::string();
  const Rows active =
      TRY(connection.run("SELECT COUNT(*), CAST(COALESCE(SUM(nodes), 0) AS BIGINT) FROM job "
                         "WHERE organisation = $1 AND lease_state <> 2",
                         {id}));
  if (limits->second.running_jobs && active[0].number(0) > *limits->second.running_jobs)
    return id + " runs " + std::to_string(active[0].number(0)) + " jobs, more than its limit";
  if (limits->second.nodes && active[0].number(1) > *limits->second.nodes)
    return id + " uses more nodes than its limit";
  if (limits->second.month && truth.check_months) {
    const Rows spent =
        TRY(connection.run("SELECT CAST(COALESCE(SUM(-e.amount), 0) AS BIGINT) FROM posted p JOIN entry e ON e.posted "
                           "= p.number WHERE p.organisation = $1 "
                           "AND p.kind IN ('hold', 'release') AND e.account LIKE 'lot/%' AND p.time_ms >= $2",
                           {id, month_begin_ms(wall_ms)}));
    if (spent[0].number(0) > *limits->second.month) return id + " has spent and held more than its limit for the month";
  }
  return std::string();
}

Result<std::string> check_everything(Connection& connection, const Truth& truth, int64_t wall_ms) {
  const LedgerCheck check = TRY(verify_ledger(connection));
  if (!check.faults.empty()) return check.faults.front();
  for (const Rule& rule : kRules)
    if (const Rows found = TRY(connection.run(rule.sql)); !found.empty())
      return std::string(rule.meaning) + ": " + found[0].text(0);
  std::map<std::string, Micro> used;
  for (const auto& [id, job] : truth.jobs) {
    const std::string fault = TRY(check_job(connection, truth, id));
    if (!fault.empty()) return fault;
    const JobRow row = TRY(job_of(connection, id));
    used[job.organisation] += true_price(job.terms, row.meter.seconds);
  }
  for (const auto& [id, given] : truth.given) {
    const std::string fault = TRY(check_organisation(connection, truth, id, wall_ms));
    if (!fault.empty()) return fault;
    const Rows rows = TRY(
        connection.run("SELECT CAST(COALESCE(SUM(CASE WHEN e.account LIKE 'lot/%' OR e.account LIKE 'held/%' THEN "
                       "e.amount ELSE 0 END), 0) AS BIGINT), "
                       "CAST(COALESCE(SUM(CASE WHEN e.account = 'expired' THEN e.amount ELSE 0 END), 0) AS BIGINT), "
                       "CAST(COALESCE(SUM(CASE WHEN e.account = 'rounding' THEN -e.amount ELSE 0 END), 0) AS BIGINT) "
                       "FROM posted p JOIN entry e ON e.posted = p.number WHERE p.organisation = $1",
                       {id}));
    const Micro left = rows[0].number(0), expired = rows[0].number(1), rounding = rows[0].number(2);
    const auto refunded = truth.refunded.find(id);
    const Micro should =
        given + rounding - used[id] - expired - (refunded == truth.refunded.end() ? 0 : refunded->second);
    if (left != should) return id + " has " + money(left) + ", and by the truth " + money(should);
  }
  return std::string();
}

}  // namespace tqm::fleet
