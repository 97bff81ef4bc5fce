#include <sqlite3.h>
#include <unordered_map>

#include "fleet/store/database.hpp"

namespace tqm::fleet {

Value or_null(const std::optional<int64_t>& number) {
  return number ? Value(*number) : Value();
}

int64_t Row::number(size_t column) const {
  ASSERT(column < values_.size() && std::holds_alternative<int64_t>(values_[column]));
  return std::get<int64_t>(values_[column]);
}
const std::string& Row::text(size_t column) const {
  ASSERT(column < values_.size() && std::holds_alternative<std::string>(values_[column]));
  return std::get<std::string>(values_[column]);
}
std::optional<int64_t> Row::number_or_null(size_t column) const {
  ASSERT(column < values_.size());
  const auto* number = std::get_if<int64_t>(&values_[column]);
  return number ? std::optional(*number) : std::nullopt;
}

namespace {

class Sqlite : public Connection {
 public:
  explicit Sqlite(sqlite3* database) : database_(database) {}
  ~Sqlite() override {
    for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
    sqlite3_close(database_);
  }
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  Dialect dialect() const override { return Dialect::sqlite; }
  bool must_retry() const override { return must_retry_; }

  Result<Rows> run(const std::string& sql, const std::vector<Value>& values) override {
    sqlite3_stmt* statement = TRY(prepare(sql));
    bind(statement, values);
    Rows rows;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      std::vector<Value> row;
      for (int column = 0; column < sqlite3_column_count(statement); ++column)
        row.push_back(value_of(statement, column));
      rows.emplace_back(std::move(row));
    }
    std::optional<Error> failed;
    if (code != SQLITE_DONE) failed = error(sql);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (failed) return *failed;
    return rows;
  }

  Status script(const std::string& sql) override {
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error(sql);
    return {};
  }

  Status begin(bool writes) override {
    must_retry_ = false;
    return script(writes ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  Status commit() override { return script("COMMIT"); }
  void rollback() override {
    if (!sqlite3_get_autocommit(database_)) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }

  Error error(const std::string& sql) {
    const int code = sqlite3_errcode(database_);
    must_retry_ = code == SQLITE_BUSY || code == SQLITE_LOCKED;
    ErrorKind kind = ErrorKind::internal;
    if (must_retry_) kind = ErrorKind::unavailable;
    if (code == SQLITE_CONSTRAINT) kind = ErrorKind::conflict;
    if (code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_READONLY || code == SQLITE_CANTOPEN)
      kind = ErrorKind::environment;
    return Error{kind, std::string("the database says: ") + sqlite3_errmsg(database_), sql.substr(0, 80), ""};
  }

 private:
  Result<sqlite3_stmt*> prepare(const std::string& sql) {
    const auto found = statements_.find(sql);
    if (found != statements_.end()) return found->second;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(database_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
      return error(sql);
    statements_.emplace(sql, statement);
    return statement;
  }

  static void bind(sqlite3_stmt* statement, const std::vector<Value>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const int index = sqlite3_bind_parameter_index(statement, ("$" + std::to_string(i + 1)).c_str());
      ASSERT(index > 0);
      if (const auto* number = std::get_if<int64_t>(&values[i])) {
        sqlite3_bind_int64(statement, index, *number);
      } else if (const auto* text = std::get_if<std::string>(&values[i])) {
        sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
      } else {
        sqlite3_bind_null(statement, index);
      }
    }
  }

  static Value value_of(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_NULL:
        return {};
      case SQLITE_INTEGER:
        return static_cast<int64_t>(sqlite3_column_int64(statement, column));
      default: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        return std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
      }
    }
  }

  sqlite3* database_;
  std::unordered_map<std::string, sqlite3_stmt*> statements_;
  bool must_retry_ = false;
};

}  // namespace

Result<std::unique_ptr<Connection>> open_sqlite(const std::string& path, const SqliteOptions& options) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  auto connection = std::make_unique<Sqlite>(database);
  if (code != SQLITE_OK) {
    Error error = connection->error("open");
    error.where = path;
    error.next = "check the folder and its permissions";
    return error;
  }
  sqlite3_busy_timeout(database, 10'000);
  TRY(connection->script("PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF"));
  TRY(connection->script(options.durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=OFF"));
  return std::unique_ptr<Connection>(std::move(connection));
}

}  // namespace tqm::fleet
