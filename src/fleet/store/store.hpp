// The one door to the database. All writing happens on one thread: callers hand in functions, those that wait are put
// into one transaction together (group commit), and each gets its answer once that transaction is on disk. A function
// that fails takes back its own writes alone. One that another transaction got in the way of is run again, so it must
// have no effects but those on the database.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "fleet/store/database.hpp"

namespace tqm::fleet {

struct StoreOptions {
  bool durable = true;   // false: no flush to disk, for tests
  bool threaded = true;  // false: write() runs on the caller's thread; one caller at a time
  size_t most_group = 50;
};

class Store {
 public:
  // address: a path (SQLite) or "postgresql://…" / "host=…" (PostgreSQL). Migrates the schema.
  static Result<std::unique_ptr<Store>> open(const std::string& address, const StoreOptions& options = {});
  ~Store();

  // f(Connection&) -> Result<T>, in a transaction. Returns when it is durable, or f's error.
  template <class F>
  auto write(F f) -> decltype(f(std::declval<Connection&>())) {
    std::optional<decltype(f(std::declval<Connection&>()))> answer;
    const Status done = write_status([&](Connection& connection) -> Status {
      answer.emplace(f(connection));
      if (!answer->ok()) return answer->error();
      return {};
    });
    if (!done.ok()) return done.error();
    return std::move(*answer);
  }

  // f(Connection&) -> Result<T>, in a transaction of its own that sees one moment. Does not wait for writers.
  template <class F>
  auto read(F f) -> decltype(f(std::declval<Connection&>())) {
    std::optional<decltype(f(std::declval<Connection&>()))> answer;
    const Status done = read_status([&](Connection& connection) -> Status {
      answer.emplace(f(connection));
      if (!answer->ok()) return answer->error();
      return {};
    });
    if (!done.ok()) return done.error();
    return std::move(*answer);
  }

  int64_t commits() const;  // transactions on disk so far

 private:
  struct Writer;
  Store();
  Status write_status(const std::function<Status(Connection&)>& f);
  Status read_status(const std::function<Status(Connection&)>& f);
  std::unique_ptr<Writer> writer_;
};

}  // namespace tqm::fleet
