#include "fleet/store/schema.hpp"

namespace tqm::fleet {
namespace {

// @INT is BIGINT or INTEGER, @END closes a table (STRICT in SQLite). Times are milliseconds since 1970, money
// micro-yuan.
constexpr const char* kTables = R"sql(
CREATE TABLE organisation (id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, created_ms @INT NOT NULL,
  limit_jobs @INT, limit_nodes @INT, limit_month @INT @END;
CREATE TABLE project (id TEXT PRIMARY KEY, organisation TEXT NOT NULL REFERENCES organisation (id), name TEXT NOT NULL,
  budget @INT, alerts TEXT NOT NULL, spent @INT NOT NULL @END;
CREATE TABLE member (id TEXT PRIMARY KEY, organisation TEXT NOT NULL REFERENCES organisation (id), name TEXT NOT NULL,
  role TEXT NOT NULL, created_ms @INT NOT NULL @END;
CREATE TABLE api_key (id TEXT PRIMARY KEY, member TEXT NOT NULL REFERENCES member (id), hash TEXT NOT NULL, scopes TEXT NOT NULL,
  created_ms @INT NOT NULL, expires_ms @INT, revoked_ms @INT @END;
CREATE TABLE price (node_type TEXT NOT NULL, from_ms @INT NOT NULL, hour @INT NOT NULL, year @INT, source TEXT NOT NULL,
  PRIMARY KEY (node_type, from_ms) @END;
CREATE TABLE lot (id TEXT PRIMARY KEY, organisation TEXT NOT NULL REFERENCES organisation (id), kind TEXT NOT NULL,
  expires_ms @INT, created_ms @INT NOT NULL, amount @INT NOT NULL @END;
CREATE INDEX lot_of ON lot (organisation);
CREATE TABLE job (id TEXT PRIMARY KEY, organisation TEXT NOT NULL REFERENCES organisation (id), project TEXT NOT NULL,
  spec TEXT NOT NULL, quote TEXT NOT NULL, node_type TEXT NOT NULL, nodes @INT NOT NULL, time_limit_s @INT NOT NULL,
  price_hour @INT NOT NULL, domestic_percent @INT NOT NULL, sector_percent @INT NOT NULL,
  submitted_ms @INT NOT NULL, state TEXT NOT NULL, want TEXT NOT NULL, retries_left @INT NOT NULL,
  lease_attempt @INT NOT NULL, lease_state @INT NOT NULL, lease_holder TEXT NOT NULL, lease_epoch @INT NOT NULL, lease_ms @INT NOT NULL,
  down_epoch @INT, down_ms @INT, granted_epoch @INT NOT NULL, granted_ms @INT NOT NULL,
  seconds @INT NOT NULL, paid_to @INT NOT NULL, counted @INT NOT NULL, checkpoint @INT NOT NULL, events @INT NOT NULL @END;
CREATE INDEX job_of ON job (organisation, state);
CREATE INDEX job_by_state ON job (state);
CREATE TABLE attempt (job TEXT NOT NULL REFERENCES job (id), number @INT NOT NULL, holder TEXT NOT NULL, granted_ms @INT NOT NULL,
  ended_ms @INT, reason TEXT, seconds @INT NOT NULL, PRIMARY KEY (job, number) @END;
CREATE TABLE event (job TEXT NOT NULL REFERENCES job (id), number @INT NOT NULL, time_ms @INT NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (job, number) @END;
CREATE TABLE posted (number @INT PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, organisation TEXT NOT NULL,
  job TEXT NOT NULL, seconds @INT NOT NULL, time_ms @INT NOT NULL, note TEXT NOT NULL @END;
CREATE INDEX posted_of ON posted (organisation, time_ms);
CREATE TABLE entry (posted @INT NOT NULL REFERENCES posted (number), position @INT NOT NULL, account TEXT NOT NULL,
  amount @INT NOT NULL CHECK (amount <> 0), PRIMARY KEY (posted, position) @END;
CREATE INDEX entry_of ON entry (account);
CREATE TABLE balance (account TEXT PRIMARY KEY, amount @INT NOT NULL,
  CHECK (amount >= 0 OR (account NOT LIKE 'lot/%' AND account NOT LIKE 'held/%')) @END;
CREATE TABLE audit (number @INT PRIMARY KEY, time_ms @INT NOT NULL, who TEXT NOT NULL, organisation TEXT NOT NULL,
  action TEXT NOT NULL, detail TEXT NOT NULL @END;
CREATE TABLE request (organisation TEXT NOT NULL, key TEXT NOT NULL, hash TEXT NOT NULL, answer TEXT NOT NULL, time_ms @INT NOT NULL,
  PRIMARY KEY (organisation, key) @END;
CREATE TABLE counter (name TEXT PRIMARY KEY, value @INT NOT NULL @END;
INSERT INTO counter (name, value) VALUES ('posted', 0), ('audit', 0), ('epoch', 0);
)sql";

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string triggers(Dialect dialect) {
  std::string text;
  if (dialect == Dialect::postgresql)
    text +=
        "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'rows of % are "
        "never changed', "
        "TG_TABLE_NAME USING ERRCODE = '23000'; END $$;";
  for (const std::string& table : append_only_tables()) {
    for (const std::string what : {"UPDATE", "DELETE"}) {
      const std::string head = "CREATE TRIGGER " + table + "_no_" + what + " BEFORE " + what + " ON " + table;
      text += dialect == Dialect::sqlite
                  ? head + " BEGIN SELECT RAISE(ABORT, 'rows of " + table + " are never changed'); END;"
                  : head + " FOR EACH ROW EXECUTE FUNCTION refuse_change();";
    }
    if (dialect == Dialect::postgresql)
      text +=
          "CREATE TRIGGER " + table + "_no_truncate BEFORE TRUNCATE ON " + table + " EXECUTE FUNCTION refuse_change();";
  }
  return text;
}

std::string version_1(Dialect dialect) {
  std::string text = replace_all(kTables, "@INT", dialect == Dialect::sqlite ? "INTEGER" : "BIGINT");
  text = replace_all(text, " @END;", dialect == Dialect::sqlite ? ") STRICT;" : ");");
  return text + triggers(dialect);
}

Result<int64_t> version_of(Connection& connection) {
  const Rows rows = TRY(connection.run("SELECT version FROM schema_version"));
  return rows.empty() ? int64_t{0} : rows.front().number(0);
}

}  // namespace

const std::vector<std::string>& append_only_tables() {
  static const std::vector<std::string> names = {"price", "event", "posted", "entry", "audit"};
  return names;
}

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      {"organisation", {"id", "name", "kind", "created_ms", "limit_jobs", "limit_nodes", "limit_month"}},
      {"project", {"id", "organisation", "name", "budget", "alerts", "spent"}},
      {"member", {"id", "organisation", "name", "role", "created_ms"}},
      {"api_key", {"id", "member", "hash", "scopes", "created_ms", "expires_ms", "revoked_ms"}},
      {"price", {"node_type", "from_ms", "hour", "year", "source"}},
      {"lot", {"id", "organisation", "kind", "expires_ms", "created_ms", "amount"}},
      {"job", {"id",
               "organisation",
               "project",
               "spec",
               "quote",
               "node_type",
               "nodes",
               "time_limit_s",
               "price_hour",
               "domestic_percent",
               "sector_percent",
               "submitted_ms",
               "state",
               "want",
               "retries_left",
               "lease_attempt",
               "lease_state",
               "lease_holder",
               "lease_epoch",
               "lease_ms",
               "down_epoch",
               "down_ms",
               "granted_epoch",
               "granted_ms",
               "seconds",
               "paid_to",
               "counted",
               "checkpoint",
               "events"}},
      {"attempt", {"job", "number", "holder", "granted_ms", "ended_ms", "reason", "seconds"}},
      {"event", {"job", "number", "time_ms", "body"}},
      {"posted", {"number", "key", "kind", "organisation", "job", "seconds", "time_ms", "note"}},
      {"entry", {"posted", "position", "account", "amount"}},
      {"balance", {"account", "amount"}},
      {"audit", {"number", "time_ms", "who", "organisation", "action", "detail"}},
      {"request", {"organisation", "key", "hash", "answer", "time_ms"}},
      {"counter", {"name", "value"}},
  };
  return all;
}

Status migrate(Connection& connection) {
  TRY(connection.script(connection.dialect() == Dialect::sqlite
                            ? "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT"
                            : "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)"));
  const int64_t version = TRY(version_of(connection));
  if (version > kSchemaVersion)
    return Error{ErrorKind::unsupported,
                 "the database has version " + std::to_string(version) + " of the schema, newer than " +
                     std::to_string(kSchemaVersion),
                 "", "use the program that made it, or a newer one"};
  if (version == kSchemaVersion) return {};
  TRY(connection.begin(true));
  Status made = connection.script(version_1(connection.dialect()) + "INSERT INTO schema_version (version) VALUES (1)");
  if (made.ok()) made = connection.commit();
  if (!made.ok()) connection.rollback();
  return made;
}

}  // namespace tqm::fleet
