// One SQL text for SQLite and PostgreSQL behind one small interface: values $1, $2, …; columns are whole numbers of 64
// bits or texts. Schemas differ in three words (see schema.cpp) and in their triggers, nothing else does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace tqm::fleet {

enum class Dialect { sqlite, postgresql };

using Value = std::variant<std::monostate, int64_t, std::string>;  // monostate: NULL
Value or_null(const std::optional<int64_t>& number);

class Row {
 public:
  explicit Row(std::vector<Value> values) : values_(std::move(values)) {}
  int64_t number(size_t column) const;  // the column must hold one: what we wrote, so an ASSERT
  const std::string& text(size_t column) const;
  std::optional<int64_t> number_or_null(size_t column) const;
  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<Value> values_;
};
using Rows = std::vector<Row>;

// Used by one thread at a time.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual Dialect dialect() const = 0;
  // One statement. conflict where a unique or check constraint refuses it, unavailable where the whole transaction must
  // be tried again (must_retry), environment or internal otherwise.
  virtual Result<Rows> run(const std::string& sql, const std::vector<Value>& values = {}) = 0;
  virtual Status script(const std::string& sql) = 0;  // several statements without values
  virtual Status begin(bool writes) = 0;              // SQLite: IMMEDIATE; PostgreSQL: SERIALIZABLE
  virtual Status commit() = 0;
  virtual void rollback() = 0;
  virtual bool must_retry() const = 0;  // after an error: another transaction came between
};

struct SqliteOptions {
  bool durable = true;  // synchronous=FULL; without: for tests alone
};
// path: ":memory:" for one that lives as long as the connection.
Result<std::unique_ptr<Connection>> open_sqlite(const std::string& path, const SqliteOptions& options = {});

// "postgresql://…" or "host=… dbname=…", as libpq reads it.
Result<std::unique_ptr<Connection>> open_postgresql(const std::string& address);

}  // namespace tqm::fleet
