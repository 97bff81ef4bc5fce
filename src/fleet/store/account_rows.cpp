#include "fleet/store/account_rows.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

namespace tqm::fleet {
namespace {

Result<std::vector<Scope>> scopes_from(const std::string& text) {
  std::vector<Scope> scopes;
  for (const std::string& word : split(text, ' ')) scopes.push_back(TRY(parse_scope(word)));
  return scopes;
}

std::string source_text(const PriceSource& source) {
  return dump_json({{"address", source.address},
                    {"unverified", source.unverified},
                    {"assumed", source.assumed},
                    {"note", source.note}},
                   -1);
}

}  // namespace

Status add_organisation(Connection& connection, const OrganisationRow& organisation) {
  TRY(
      connection.run("INSERT INTO organisation (id, name, kind, created_ms, limit_jobs, limit_nodes, limit_month) "
                     "VALUES ($1, $2, $3, $4, $5, $6, $7)",
                     {organisation.id, organisation.name, std::string(name(organisation.kind)), organisation.created_ms,
                      or_null(organisation.limits.running_jobs), or_null(organisation.limits.nodes),
                      or_null(organisation.limits.month)}));
  return {};
}

Result<OrganisationRow> organisation_of(Connection& connection, const std::string& id) {
  const Rows rows = TRY(connection.run(
      "SELECT id, name, kind, created_ms, limit_jobs, limit_nodes, limit_month FROM organisation WHERE id = $1", {id}));
  if (rows.empty()) return Error{ErrorKind::not_found, "no such organisation", id, ""};
  const Row& row = rows.front();
  OrganisationRow organisation{row.text(0),
                               row.text(1),
                               {},
                               row.number(3),
                               {row.number_or_null(4), row.number_or_null(5), row.number_or_null(6)}};
  organisation.kind = TRY(parse_organisation_kind(row.text(2)));
  return organisation;
}

Status save_limits(Connection& connection, const OrganisationRow& organisation) {
  TRY(connection.run("UPDATE organisation SET limit_jobs = $2, limit_nodes = $3, limit_month = $4 WHERE id = $1",
                     {organisation.id, or_null(organisation.limits.running_jobs), or_null(organisation.limits.nodes),
                      or_null(organisation.limits.month)}));
  return {};
}

Result<GrantsSoFar> grants_so_far(Connection& connection, const OrganisationRow& organisation) {
  GrantsSoFar so_far;
  so_far.research_team = may_have_research_vouchers(organisation.kind);
  for (const Row& row : TRY(connection.run(
           "SELECT kind, COUNT(*), CAST(SUM(amount) AS BIGINT) FROM lot WHERE organisation = $1 GROUP BY kind",
           {organisation.id}))) {
    if (row.text(0) == name(LotKind::trial)) so_far.trials = static_cast<int>(row.number(1));
    if (row.text(0) == name(LotKind::research)) so_far.research = row.number(2);
  }
  return so_far;
}

Result<Use> use_of(Connection& connection, const std::string& organisation, int64_t now_ms) {
  Use use;
  const Rows jobs = TRY(connection.run(
      "SELECT COUNT(*), CAST(COALESCE(SUM(nodes), 0) AS BIGINT) FROM job WHERE organisation = $1 AND state = 'active'",
      {organisation}));
  use.running_jobs = jobs.front().number(0);
  use.nodes = jobs.front().number(1);
  // Into and out of holds since the month began, and what was held before: spent and held, less what came back.
  const Rows money =
      TRY(connection.run("SELECT CAST(COALESCE(SUM(-e.amount), 0) AS BIGINT) FROM posted p JOIN entry e ON e.posted = "
                         "p.number WHERE p.organisation = $1 "
                         "AND p.time_ms >= $2 AND p.kind IN ('hold', 'release') AND e.account LIKE 'lot/%'",
                         {organisation, month_begin_ms(now_ms)}));
  use.month = std::max<Micro>(0, money.front().number(0));
  return use;
}

Status add_member(Connection& connection, const MemberRow& member) {
  TRY(connection.run("INSERT INTO member (id, organisation, name, role, created_ms) VALUES ($1, $2, $3, $4, $5)",
                     {member.id, member.organisation, member.name, std::string(name(member.role)), member.created_ms}));
  return {};
}

Status add_key(Connection& connection, const ApiKey& key) {
  std::vector<std::string> words;
  for (Scope scope : key.scopes) words.emplace_back(name(scope));
  TRY(
      connection.run("INSERT INTO api_key (id, member, hash, scopes, created_ms, expires_ms, revoked_ms) VALUES ($1, "
                     "$2, $3, $4, $5, $6, $7)",
                     {key.id, key.user, key.hash, join(words, " "), key.created_ms, or_null(key.expires_ms),
                      or_null(key.revoked_ms)}));
  return {};
}

Status revoke_key(Connection& connection, const std::string& id, int64_t now_ms) {
  const Rows rows = TRY(connection.run(
      "UPDATE api_key SET revoked_ms = COALESCE(revoked_ms, $2) WHERE id = $1 RETURNING id", {id, now_ms}));
  if (rows.empty()) return Error{ErrorKind::not_found, "no such key", id, ""};
  return {};
}

Result<Caller> caller_of(Connection& connection, const std::string& shown, int64_t now_ms) {
  const std::string id = TRY(key_id(shown));
  const Rows rows = TRY(
      connection.run("SELECT k.hash, k.scopes, k.created_ms, k.expires_ms, k.revoked_ms, m.id, m.organisation, m.role "
                     "FROM api_key k JOIN member m ON m.id = k.member WHERE k.id = $1",
                     {id}));
  ApiKey key;  // of an id that is not there: compared all the same, so that it takes as long and says the same
  key.id = id;
  if (!rows.empty())
    key = {id,
           rows[0].text(5),
           rows[0].text(0),
           {},
           rows[0].number(2),
           rows[0].number_or_null(3),
           rows[0].number_or_null(4)};
  TRY(check_key(key, shown, now_ms));
  Caller caller{rows[0].text(5), rows[0].text(6), {}, {}};
  caller.role = TRY(parse_role(rows[0].text(7)));
  caller.scopes = TRY(scopes_from(rows[0].text(1)));
  return caller;
}

Status add_audit(Connection& connection, const AuditRow& row) {
  const Rows next = TRY(connection.run("UPDATE counter SET value = value + 1 WHERE name = 'audit' RETURNING value"));
  TRY(connection.run(
      "INSERT INTO audit (number, time_ms, who, organisation, action, detail) VALUES ($1, $2, $3, $4, $5, $6)",
      {next.front().number(0), row.time_ms, row.who, row.organisation, row.action, row.detail}));
  return {};
}

Result<std::vector<AuditRow>> audit_of(Connection& connection, const std::string& organisation, int64_t after,
                                       int64_t most) {
  std::vector<AuditRow> result;
  for (const Row& row : TRY(connection.run("SELECT number, time_ms, who, organisation, action, detail FROM audit "
                                           "WHERE organisation = $1 AND number > $2 ORDER BY number LIMIT $3",
                                           {organisation, after, most})))
    result.push_back({row.number(0), row.number(1), row.text(2), row.text(3), row.text(4), row.text(5)});
  return result;
}

Result<std::optional<std::string>> answered(Connection& connection, const std::string& organisation,
                                            const std::string& key, const std::string& hash) {
  const Rows rows =
      TRY(connection.run("SELECT hash, answer FROM request WHERE organisation = $1 AND key = $2", {organisation, key}));
  if (rows.empty()) return std::optional<std::string>();
  if (rows.front().text(0) != hash)
    return Error{ErrorKind::conflict, "this Idempotency-Key came with another request before", key,
                 "use a key of its own for each request"};
  return std::optional(rows.front().text(1));
}

Status keep_answer(Connection& connection, const std::string& organisation, const std::string& key,
                   const std::string& hash, const std::string& answer, int64_t now_ms) {
  TRY(connection.run("INSERT INTO request (organisation, key, hash, answer, time_ms) VALUES ($1, $2, $3, $4, $5)",
                     {organisation, key, hash, answer, now_ms}));
  return {};
}

Status keep_prices(Connection& connection, const NodeType& type) {
  const Rows kept = TRY(
      connection.run("SELECT from_ms, hour, year, source FROM price WHERE node_type = $1 ORDER BY from_ms", {type.id}));
  for (size_t i = 0; i < kept.size(); ++i) {
    const bool same = i < type.prices.size() && type.prices[i].from_ms == kept[i].number(0) &&
                      type.prices[i].hour == kept[i].number(1) && type.prices[i].year == kept[i].number_or_null(2) &&
                      source_text(type.prices[i].source) == kept[i].text(3);
    if (!same)
      return Error{ErrorKind::conflict, "a price that was in force has been changed", type.id,
                   "leave it, and add a new version below"};
  }
  for (size_t i = kept.size(); i < type.prices.size(); ++i)
    TRY(connection.run("INSERT INTO price (node_type, from_ms, hour, year, source) VALUES ($1, $2, $3, $4, $5)",
                       {type.id, type.prices[i].from_ms, type.prices[i].hour, or_null(type.prices[i].year),
                        source_text(type.prices[i].source)}));
  return {};
}

Result<int64_t> next_epoch(Connection& connection) {
  return TRY(connection.run("UPDATE counter SET value = value + 1 WHERE name = 'epoch' RETURNING value"))
      .front()
      .number(0);
}

}  // namespace tqm::fleet
