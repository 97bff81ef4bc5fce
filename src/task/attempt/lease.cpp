#include "task/attempt/lease.hpp"

#include <chrono>
#include <optional>
#include <thread>

#include "base/lock_file.hpp"
#include "task/checkpoint.hpp"

namespace tqm::task {
namespace {

// An engine that looks whether the lock is held takes it for a moment.
constexpr int kTries = 100;
constexpr std::chrono::milliseconds kBetweenTries{10};

Result<LockFile> take_lock(const AttemptFiles& files) {
  for (int i = 1;; ++i) {
    auto lock = LockFile::take(files.lock());
    if (lock || lock.error().kind != ErrorKind::conflict || i == kTries) return lock;
    std::this_thread::sleep_for(kBetweenTries);
  }
}

class HeldFileLease : public LeaseClient {
 public:
  explicit HeldFileLease(const AttemptFiles& files) : files_(files) {}

  Status claim(const std::string& holder) override {
    auto lock = take_lock(files_);
    if (!lock && lock.error().kind == ErrorKind::conflict)
      return Error{ErrorKind::conflict, "another shim runs this attempt", files_.lock().string(),
                   "leave it to that one"};
    lock_.emplace(TRY(std::move(lock)));
    if (const auto ended = TRY(read_exit(files_.exit())))
      return Error{ErrorKind::conflict, "the attempt has ended already: " + ended->reason, files_.exit().string(),
                   "start the next attempt, with a folder of its own"};
    return lock_->write(holder + "\n");
  }

  Result<std::optional<PermitRecord>> renew(const UseRecord& use) override {
    TRY(write_record(files_.use(), use_json(use)));
    return read_permit(files_.permit());
  }

  Status end(const ExitRecord& exit) override {
    TRY(write_record(files_.exit(), exit_json(exit)));
    return lock_->write("");
  }

 private:
  AttemptFiles files_;
  std::optional<LockFile> lock_;
};

}  // namespace

std::unique_ptr<LeaseClient> held_file_lease(const AttemptFiles& files) {
  return std::make_unique<HeldFileLease>(files);
}

Result<std::optional<ExitRecord>> exit_unless_held(const AttemptFiles& files, int64_t attempt,
                                                   const std::string& reason_if_none, const std::string& text_if_none) {
  if (auto ended = TRY(read_exit(files.exit()))) return ended;
  auto lock = LockFile::take(files.lock());
  if (!lock && lock.error().kind == ErrorKind::conflict) return std::optional<ExitRecord>();
  LockFile held = TRY(std::move(lock));
  if (auto ended = TRY(read_exit(files.exit()))) return ended;  // it ended between the two looks
  ExitRecord exit;
  exit.attempt = attempt;
  exit.reason = reason_if_none;
  exit.text = text_if_none;
  if (const auto use = read_use(files.use()); use && *use) {
    exit.holder = (*use)->holder;
    exit.seconds = (*use)->to_s;
    exit.checkpoint_s = (*use)->checkpoint_s;
    exit.peak_memory_bytes = (*use)->memory_bytes;
  }
  exit.resumable = has_checkpoint_of(files.checkpoint(), attempt);
  TRY(write_record(files.exit(), exit_json(exit)));
  TRY(held.write(""));
  return std::optional<ExitRecord>(exit);
}

}  // namespace tqm::task
