#include <charconv>
#include <libpq-fe.h>
#include <unordered_map>

#include "fleet/store/database.hpp"

namespace tqm::fleet {
namespace {

constexpr Oid kInt8 = 20, kInt4 = 23;

struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Answer = std::unique_ptr<PGresult, Clear>;

class Postgresql : public Connection {
 public:
  explicit Postgresql(PGconn* connection) : connection_(connection) {}
  ~Postgresql() override { PQfinish(connection_); }
  Postgresql(const Postgresql&) = delete;
  Postgresql& operator=(const Postgresql&) = delete;

  Dialect dialect() const override { return Dialect::postgresql; }
  bool must_retry() const override { return must_retry_; }

  Result<Rows> run(const std::string& sql, const std::vector<Value>& values) override {
    std::vector<std::string> texts(values.size());
    std::vector<const char*> pointers(values.size(), nullptr);
    for (size_t i = 0; i < values.size(); ++i) {
      if (const auto* number = std::get_if<int64_t>(&values[i])) {
        texts[i] = std::to_string(*number);
      } else if (const auto* text = std::get_if<std::string>(&values[i])) {
        texts[i] = *text;
      } else {
        continue;
      }
      pointers[i] = texts[i].c_str();
    }
    if (!statements_.contains(sql)) {
      const std::string fresh = "s" + std::to_string(statements_.size());
      const Answer prepared(PQprepare(connection_, fresh.c_str(), sql.c_str(), 0, nullptr));
      if (PQresultStatus(prepared.get()) != PGRES_COMMAND_OK) return error(prepared.get(), sql);
      statements_.emplace(sql, fresh);
    }
    const Answer answer(PQexecPrepared(connection_, statements_.at(sql).c_str(), static_cast<int>(values.size()),
                                       pointers.data(), nullptr, nullptr, 0));
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status == PGRES_COMMAND_OK) return Rows();
    if (status != PGRES_TUPLES_OK) return error(answer.get(), sql);
    Rows rows;
    for (int row = 0; row < PQntuples(answer.get()); ++row) {
      std::vector<Value> columns;
      for (int column = 0; column < PQnfields(answer.get()); ++column)
        columns.push_back(value_of(answer.get(), row, column));
      rows.emplace_back(std::move(columns));
    }
    return rows;
  }

  Status script(const std::string& sql) override {
    const Answer answer(PQexec(connection_, sql.c_str()));
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) return error(answer.get(), sql);
    return {};
  }

  Status begin(bool writes) override {
    must_retry_ = false;
    if (PQstatus(connection_) != CONNECTION_OK) {  // the server was restarted: nothing of ours was under way
      PQreset(connection_);
      statements_.clear();
    }
    return script(writes ? "BEGIN ISOLATION LEVEL SERIALIZABLE" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  }
  Status commit() override { return script("COMMIT"); }
  void rollback() override {
    if (PQtransactionStatus(connection_) != PQTRANS_IDLE) Answer(PQexec(connection_, "ROLLBACK"));
  }

 private:
  // SQLSTATE classes: 23 constraints, 40 another transaction came between, 53 and 58 the machine, 08 and 57 no server.
  Error error(const PGresult* answer, const std::string& sql) {
    const char* state = answer ? PQresultErrorField(answer, PG_DIAG_SQLSTATE) : nullptr;
    const std::string code = state ? state : "08000";
    must_retry_ = code.starts_with("40");
    ErrorKind kind = ErrorKind::internal;
    if (must_retry_ || code.starts_with("08") || code.starts_with("57")) kind = ErrorKind::unavailable;
    if (code.starts_with("23")) kind = ErrorKind::conflict;
    if (code.starts_with("53") || code.starts_with("58")) kind = ErrorKind::environment;
    std::string message = answer ? PQresultErrorMessage(answer) : PQerrorMessage(connection_);
    while (!message.empty() && message.back() == '\n') message.pop_back();
    return Error{kind, "the database says: " + message, sql.substr(0, 80), ""};
  }

  static Value value_of(const PGresult* answer, int row, int column) {
    if (PQgetisnull(answer, row, column)) return {};
    const char* text = PQgetvalue(answer, row, column);
    const auto size = static_cast<size_t>(PQgetlength(answer, row, column));
    const Oid type = PQftype(answer, column);
    if (type != kInt8 && type != kInt4) return std::string(text, size);
    int64_t number = 0;
    std::from_chars(text, text + size, number);
    return number;
  }

  PGconn* connection_;
  std::unordered_map<std::string, std::string> statements_;
  bool must_retry_ = false;
};

}  // namespace

Result<std::unique_ptr<Connection>> open_postgresql(const std::string& address) {
  PGconn* raw = PQconnectdb(address.c_str());
  auto connection = std::make_unique<Postgresql>(raw);
  if (PQstatus(raw) != CONNECTION_OK) {
    std::string message = PQerrorMessage(raw);
    while (!message.empty() && message.back() == '\n') message.pop_back();
    return Error{ErrorKind::unavailable, "can't reach PostgreSQL: " + message, "",
                 "check the address and that the server runs"};
  }
  PQsetNoticeProcessor(raw, [](void*, const char*) {}, nullptr);
  return std::unique_ptr<Connection>(std::move(connection));
}

}  // namespace tqm::fleet
