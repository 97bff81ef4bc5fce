#include "fleet/store/store.hpp"

#include <condition_variable>
#include <deque>
#include <thread>
#include <vector>

#include "fleet/store/schema.hpp"

namespace tqm::fleet {
namespace {

constexpr int kMostTries = 20;

bool is_postgresql(const std::string& address) {
  return address.starts_with("postgresql://") || address.starts_with("postgres://") || address.starts_with("host=");
}

Result<std::unique_ptr<Connection>> connect(const std::string& address, const StoreOptions& options) {
  if (!is_postgresql(address)) return open_sqlite(address, {options.durable});
  auto connection = TRY(open_postgresql(address));
  if (!options.durable) TRY(connection->script("SET synchronous_commit = off"));
  return connection;
}

struct Wish {
  const std::function<Status(Connection&)>* f = nullptr;
  Status answer;
  bool done = false;
};

}  // namespace

struct Store::Writer {
  std::unique_ptr<Connection> connection, reader;  // reader: null where the database is in memory
  StoreOptions options;
  std::mutex mutex, reading;
  std::condition_variable work, answered;
  std::deque<Wish*> waiting;
  bool ending = false;
  int64_t commits = 0;
  std::thread thread;

  // All wishes in one transaction, each in a savepoint. false: none is written, and it may be tried again.
  Status attempt(std::vector<Wish*>& group) {
    TRY(connection->begin(true));
    for (Wish* wish : group) {
      TRY(connection->script("SAVEPOINT wish"));
      wish->answer = (*wish->f)(*connection);
      if (wish->answer.ok()) {
        TRY(connection->script("RELEASE SAVEPOINT wish"));
      } else if (wish->answer.error().kind == ErrorKind::unavailable) {
        return wish->answer;
      } else {
        TRY(connection->script("ROLLBACK TO SAVEPOINT wish"));
        TRY(connection->script("RELEASE SAVEPOINT wish"));
      }
    }
    return connection->commit();
  }

  void carry_out(std::vector<Wish*>& group) {
    Status done;
    for (int tries = 0; tries < kMostTries; ++tries) {
      done = attempt(group);
      if (done.ok()) {
        ++commits;
        return;
      }
      connection->rollback();
      if (!connection->must_retry()) break;
    }
    for (Wish* wish : group) wish->answer = done;
  }

  void loop() {
    std::unique_lock lock(mutex);
    for (;;) {
      work.wait(lock, [&] { return ending || !waiting.empty(); });
      if (waiting.empty()) return;
      std::vector<Wish*> group;
      while (!waiting.empty() && group.size() < options.most_group) {
        group.push_back(waiting.front());
        waiting.pop_front();
      }
      lock.unlock();
      carry_out(group);
      lock.lock();
      for (Wish* wish : group) wish->done = true;
      answered.notify_all();
    }
  }
};

Store::Store() : writer_(std::make_unique<Writer>()) {}

Store::~Store() {
  if (!writer_->thread.joinable()) return;
  {
    const std::lock_guard lock(writer_->mutex);
    writer_->ending = true;
  }
  writer_->work.notify_all();
  writer_->thread.join();
}

Result<std::unique_ptr<Store>> Store::open(const std::string& address, const StoreOptions& options) {
  std::unique_ptr<Store> store(new Store);
  store->writer_->options = options;
  store->writer_->connection = TRY(connect(address, options));
  TRY(migrate(*store->writer_->connection));
  if (address != ":memory:") store->writer_->reader = TRY(connect(address, options));
  if (options.threaded) store->writer_->thread = std::thread([writer = store->writer_.get()] { writer->loop(); });
  return store;
}

Status Store::write_status(const std::function<Status(Connection&)>& f) {
  Wish wish;
  wish.f = &f;
  if (!writer_->thread.joinable()) {
    std::vector<Wish*> alone = {&wish};
    writer_->carry_out(alone);
    return wish.answer;
  }
  std::unique_lock lock(writer_->mutex);
  writer_->waiting.push_back(&wish);
  writer_->work.notify_one();
  writer_->answered.wait(lock, [&] { return wish.done; });
  return wish.answer;
}

Status Store::read_status(const std::function<Status(Connection&)>& f) {
  if (!writer_->reader) return write_status(f);
  const std::lock_guard lock(writer_->reading);
  TRY(writer_->reader->begin(false));
  Status answer = f(*writer_->reader);
  writer_->reader->rollback();
  return answer;
}

int64_t Store::commits() const {
  const std::lock_guard lock(writer_->mutex);
  return writer_->commits;
}

}  // namespace tqm::fleet
