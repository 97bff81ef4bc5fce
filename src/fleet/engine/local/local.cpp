#include "fleet/engine/local/local.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/lock_file.hpp"
#include "base/process.hpp"
#include "task/attempt/lease.hpp"
#include "task/attempt/spec.hpp"
#include "task/checkpoint.hpp"

namespace tqm::fleet {
namespace fs = std::filesystem;
namespace {

using task::AttemptFiles;

constexpr const char* kInherited[] = {"PATH", "LANG", "LC_ALL", "TZ"};

// A job's id is the name of a folder.
Status check_name(const std::string& job) {
  const bool plain = !job.empty() && job.size() <= 128 && job[0] != '.' &&
                     job.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                         "YZ0123456789-_.") == std::string::npos;
  if (plain) return {};
  return Error{ErrorKind::bad_input, "this is no id of a job", job, "letters, digits, '-', '_' and '.'"};
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
    if (entry->symlink_status(code).type() == fs::file_type::directory) found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

int64_t attempt_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  int64_t number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  return read.ec == std::errc() && read.ptr == name.data() + name.size() ? number : 0;
}

class LocalEngine : public Engine {
 public:
  LocalEngine(fs::path root, LockFile lock, fs::path shim)
      : root_(std::move(root)), lock_(std::move(lock)), shim_(std::move(shim)) {}

  EngineAbilities abilities() const override { return {"polled", ::geteuid() == 0}; }

  Status start(const AttemptOrder& order) override {
    TRY(check_name(order.job));
    const fs::path job = root_ / order.job;
    const AttemptFiles files{job / std::to_string(order.attempt)};
    std::error_code code;
    if (fs::exists(files.spec(), code)) return {};  // it was handed over before: it runs, or is over
    fs::path earlier;
    int64_t earlier_attempt = 0;
    for (const AttemptStatus& status : TRY(list_job(job))) {
      if (!status.task.gone)
        return Error{ErrorKind::conflict, "attempt " + std::to_string(status.task.attempt) + " of the job still runs",
                     order.job, "wait for its end"};
      const AttemptFiles other{job / std::to_string(status.task.attempt)};
      if (status.task.attempt > earlier_attempt && fs::exists(other.checkpoint() / "checkpoint.json", code)) {
        earlier_attempt = status.task.attempt;
        earlier = other.checkpoint();
      }
    }
    task::AttemptSpec spec;
    spec.job = order.job;
    spec.attempt = order.attempt;
    spec.command = order.spec.command;
    spec.environment = order.spec.environment;
    spec.folder = files.folder;
    spec.work_folder = job / "work";
    spec.earlier_checkpoint = earlier;
    spec.paid_until_s = order.paid_until_s;
    spec.time_limit_s = order.time_limit_s;
    spec.memory_bytes = order.memory_bytes;
    spec.grace_s = order.grace_s;
    spec.run_as = order.run_as;
    TRY(make_folders(files.folder));
    if (::chmod(job.c_str(), order.run_as ? 0711 : 0700) != 0)
      return system_error("can't change the permissions", job, errno);
    TRY(task::write_record(files.spec(), task::attempt_spec_json(spec)));
    return spawn(files);
  }

  Status permit(const std::string& job, int64_t attempt, const task::PermitRecord& permit) override {
    const AttemptFiles files = TRY(known(job, attempt));
    return task::write_record(files.permit(), task::permit_json(permit));
  }

  Result<std::vector<AttemptStatus>> list() override {
    std::vector<AttemptStatus> all;
    for (const fs::path& job : folders_in(root_)) {
      std::vector<AttemptStatus> of_job = TRY(list_job(job));
      all.insert(all.end(), std::move_iterator(of_job.begin()), std::move_iterator(of_job.end()));
    }
    return all;
  }

  Result<std::string> read_log(const std::string& job, int64_t attempt, LogStream stream, uint64_t from,
                               uint64_t most_bytes) override {
    const AttemptFiles files = TRY(known(job, attempt));
    const fs::path path = stream == LogStream::out   ? files.out()
                          : stream == LogStream::err ? files.err()
                                                     : files.events();
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file && errno == ENOENT) return std::string();
    if (!file) return system_error("can't read the file", path, errno);
    struct stat there{};
    if (::fstat(file.get(), &there) != 0) return system_error("can't read the file", path, errno);
    const auto size = static_cast<uint64_t>(there.st_size);
    std::string text(from < size ? std::min(most_bytes, size - from) : 0, '\0');
    size_t got = 0;
    while (got < text.size()) {
      const ssize_t n = ::pread(file.get(), text.data() + got, text.size() - got, static_cast<off_t>(from + got));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_error("can't read the file", path, errno);
      if (n == 0) break;
      got += static_cast<size_t>(n);
    }
    text.resize(got);
    return text;
  }

  Status forget(const std::string& job) override {
    TRY(check_name(job));
    for (const AttemptStatus& status : TRY(list_job(root_ / job)))
      if (!status.task.gone)
        return Error{ErrorKind::conflict, "attempt " + std::to_string(status.task.attempt) + " of the job still runs",
                     job, "stop it first"};
    return tqm::remove_all(root_ / job);
  }

 private:
  Result<AttemptFiles> known(const std::string& job, int64_t attempt) const {
    TRY(check_name(job));
    const AttemptFiles files{root_ / job / std::to_string(attempt)};
    std::error_code code;
    if (fs::exists(files.spec(), code)) return files;
    return Error{ErrorKind::not_found, "there is no attempt " + std::to_string(attempt) + " of this job here", job, ""};
  }

  Result<std::vector<AttemptStatus>> list_job(const fs::path& job) {
    std::vector<AttemptStatus> found;
    for (const fs::path& folder : folders_in(job)) {
      const AttemptFiles files{folder};
      std::error_code code;
      const int64_t attempt = attempt_of(folder);
      if (attempt < 1 || !fs::exists(files.spec(), code)) continue;
      AttemptStatus status;
      status.task.job = job.filename().string();
      status.task.attempt = attempt;
      if (auto use = task::read_use(files.use())) status.use = *use;
      // One that we have just started may not hold its lock yet.
      if (!is_our_child(folder)) {
        const bool ran = status.use.has_value();
        status.exit = TRY(task::exit_unless_held(files, attempt, ran ? "lost" : "never-started",
                                                 ran ? "its shim was killed" : "its shim never claimed it"));
      }
      status.task.gone = status.exit.has_value();
      if (status.task.gone)
        if (auto use = task::read_use(files.use())) status.use = *use;
      found.push_back(std::move(status));
    }
    return found;
  }

  // Whether the shim of this folder is a child of ours that has not ended.
  bool is_our_child(const fs::path& folder) {
    const auto child = children_.find(folder);
    if (child == children_.end()) return false;
    const pid_t ended = ::waitpid(child->second, nullptr, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return true;
    children_.erase(child);
    return false;
  }

  Status spawn(const AttemptFiles& files) {
    const std::string program = shim_.string(), spec = files.spec().string(), log = files.shim_log().string();
    const char* arguments[] = {program.c_str(), "run", spec.c_str(), nullptr};
    std::vector<std::string> environment;
    for (const char* name : kInherited)
      if (const auto value = environment_variable(name)) environment.push_back(std::string(name) + "=" + *value);
    std::vector<char*> pointers;
    for (std::string& entry : environment) pointers.push_back(entry.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    sigset_t defaults, none;
    ::sigfillset(&defaults);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    pid_t pid = -1;
    const int failed =
        ::posix_spawn(&pid, program.c_str(), &actions, &attributes, const_cast<char**>(arguments), pointers.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (failed != 0) return system_error("can't start the shim", shim_,
                                         failed);  // list says never-started
    children_[files.folder] = pid;
    return {};
  }

  const fs::path root_;
  const LockFile lock_;
  const fs::path shim_;
  std::map<fs::path, pid_t> children_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_local_engine(const fs::path& root) {
  const auto shim = find_program("torquetum-task");
  if (!shim)
    return Error{ErrorKind::environment, "torquetum-task is not installed beside this program", own_binary().string(),
                 "install Torquetum's programs together, in one folder"};
  std::error_code code;
  const fs::path absolute = fs::absolute(root, code);
  if (code) return system_error("can't find the folder", root, code.value());
  TRY(make_folders(absolute));
  auto lock = LockFile::take(absolute / "lock");
  if (!lock && lock.error().kind == ErrorKind::conflict)
    return Error{ErrorKind::conflict, "another engine has this folder open", absolute.string(),
                 "end the other service, or give another folder"};
  return std::unique_ptr<Engine>(std::make_unique<LocalEngine>(absolute, TRY(std::move(lock)), *shim));
}

}  // namespace tqm::fleet
