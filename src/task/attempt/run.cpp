#include "task/attempt/run.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <map>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "task/checkpoint.hpp"
#include "task/children.hpp"

namespace tqm::task {
namespace fs = std::filesystem;
namespace {

constexpr double kLookSeconds = 0.1;

class BootClock : public Clock {
 public:
  int64_t monotonic_ns() const override {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }
  int64_t wall_ns() const override { return system_clock().wall_ns(); }
};

// While it lives, files are made and read with the user's rights: what the user put into a folder of theirs can't lead
// us to files of others. The real user stays ours, so they can't signal or trace us.
class WithRightsOf {
 public:
  static Result<WithRightsOf> take(const std::optional<RunAs>& user) {
    WithRightsOf rights;
    if (!user) return rights;
    if (::setgroups(0, nullptr) != 0 || ::setegid(user->gid) != 0 || ::seteuid(user->uid) != 0) {
      const int number = errno;
      ASSERT(::seteuid(::getuid()) == 0 && ::setegid(::getgid()) == 0);
      return system_error("can't take the rights of user " + std::to_string(user->uid), "", number);
    }
    rights.taken_ = true;
    return rights;
  }
  WithRightsOf(WithRightsOf&& other) noexcept : taken_(std::exchange(other.taken_, false)) {}
  WithRightsOf& operator=(WithRightsOf&&) = delete;
  ~WithRightsOf() {
    if (taken_) ASSERT(::seteuid(::getuid()) == 0 && ::setegid(::getgid()) == 0);
  }

 private:
  WithRightsOf() = default;
  bool taken_ = false;
};

Status give(const fs::path& path, const std::optional<RunAs>& user) {
  if (user && ::lchown(path.c_str(), user->uid, user->gid) != 0)
    return system_error("can't give to user " + std::to_string(user->uid), path, errno);
  return {};
}

// A folder of the user's own. One that is there is left as it is: it may hold links to anywhere.
Status make_private(const fs::path& path, const std::optional<RunAs>& user) {
  TRY(make_folders(path.parent_path()));
  if (::mkdir(path.c_str(), 0700) == 0) return give(path, user);
  if (errno != EEXIST) return system_error("can't make the folder", path, errno);
  return {};
}

Status prepare(const AttemptSpec& spec, const AttemptFiles& files) {
  // The user must get through to what is theirs, and read nothing else here: the spec may hold secrets of theirs too.
  if (::chmod(files.folder.c_str(), spec.run_as ? 0711 : 0700) != 0)
    return system_error("can't change the permissions", files.folder, errno);
  if (::chmod(files.spec().c_str(), 0600) != 0 && errno != ENOENT)
    return system_error("can't change the permissions", files.spec(), errno);
  TRY(make_private(spec.work_folder, spec.run_as));
  TRY(make_private(files.checkpoint(), spec.run_as));
  TRY(make_private(files.report(), spec.run_as));
  for (const fs::path& log : {files.events(), files.out(), files.err()}) {
    const Descriptor file(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return system_error("can't write the file", log, errno);
  }
  TRY(give(files.events(), spec.run_as));
  if (spec.earlier_checkpoint.empty()) return {};
  const auto rights = TRY(WithRightsOf::take(spec.run_as));
  return seed_checkpoint(spec.earlier_checkpoint, files.checkpoint());
}

struct Process {
  pid_t parent = 0;
  uint64_t resident_bytes = 0;
};

std::map<pid_t, Process> processes() {
  std::map<pid_t, Process> found;
  DIR* folder = ::opendir("/proc");
  if (!folder) return found;
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const Descriptor file(::open(("/proc/" + std::string(entry->d_name) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
    char text[1024];
    const ssize_t n = file ? ::read(file.get(), text, sizeof text - 1) : -1;
    if (n <= 0) continue;
    // "pid (name) state ppid …", rss in pages the 21st after the state; the name may hold anything.
    const std::string line(text, static_cast<size_t>(n));
    const size_t after = line.rfind(')');
    if (after == std::string::npos) continue;
    const std::vector<std::string> fields = split(std::string_view(line).substr(after + 2), ' ');
    if (fields.size() < 22) continue;
    found[std::atoi(entry->d_name)] =
        Process{std::atoi(fields[1].c_str()), std::strtoull(fields[21].c_str(), nullptr, 10) * page};
  }
  ::closedir(folder);
  return found;
}

// Resident memory of everything below the process, itself left out. Pages that processes share count for each.
uint64_t memory_below(pid_t top) {
  const std::map<pid_t, Process> all = processes();
  uint64_t sum = 0;
  for (const auto& [pid, process] : all) {
    pid_t above = process.parent;
    for (size_t depth = 0; above > 1 && above != top && depth < all.size(); ++depth) {
      const auto parent = all.find(above);
      above = parent == all.end() ? 0 : parent->second.parent;
    }
    if (above == top) sum += process.resident_bytes;
  }
  return sum;
}

// With the guard killed, what it looked after became ours.
void kill_orphans() {
  while (true) {
    for (const auto& [pid, process] : processes())
      if (process.parent == ::getpid()) ::kill(pid, SIGKILL);
    if (::waitpid(-1, nullptr, 0) < 0 && errno != EINTR) return;
  }
}

class Attempt {
 public:
  Attempt(const AttemptSpec& spec, LeaseClient& lease, const ShimSurroundings& surroundings)
      : spec_(spec), files_{spec.folder}, lease_(lease), surroundings_(surroundings) {
    permit_.paid_until_s = spec.paid_until_s;
  }

  Result<ExitRecord> run() {
    TRY(make_folders(files_.folder));
    TRY(lease_.claim(surroundings_.holder));
    exit_.attempt = spec_.attempt;
    exit_.holder = surroundings_.holder;
    if (spec_.memory_bytes > 0) exit_.memory_limit = "polled";
    if (const auto ready = prepare(spec_, files_); !ready) return never_ran("never-started", ready.error());
    const bool ours = renew(0);  // whoever looks sees the claim before anything runs
    if (!ours || permit_.order != Order::run) {
      exit_.reason = !ours ? "lost" : permit_.why.empty() ? "stopped" : permit_.why;
      exit_.text = "told so before the command was started";
      TRY(lease_.end(exit_));
      return exit_;
    }
    auto child = Child::start(child_spec());
    if (!child) {
      kill_orphans();  // a guard that was killed before it could answer may have started the command
      const bool our_doing = child.error().kind == ErrorKind::environment;
      return never_ran(our_doing ? "never-started" : "failed", child.error());
    }
    return watch(std::move(child).take());
  }

 private:
  ChildSpec child_spec() const {
    ChildSpec child;
    child.command = spec_.command;
    child.work_folder = spec_.work_folder;
    child.set_environment.assign(spec_.environment.begin(), spec_.environment.end());
    child.set_environment.insert(child.set_environment.end(),
                                 {{"TORQUETUM_EVENTS", files_.events().string()},
                                  {"TORQUETUM_CHECKPOINT", files_.checkpoint().string()},
                                  {"TORQUETUM_REPORT", files_.report().string()},
                                  {"TORQUETUM_ATTEMPT", std::to_string(spec_.attempt)},
                                  {"TORQUETUM_STOP_SECONDS", fixed_text(spec_.grace_s, 3)}});
    child.stdout_file = files_.out();
    child.stderr_file = files_.err();
    child.no_new_privileges = true;
    child.run_as = spec_.run_as;
    return child;
  }

  Result<ExitRecord> never_ran(const char* reason, const Error& error) {
    exit_.reason = reason;
    exit_.text = error.message();
    TRY(lease_.end(exit_));
    return exit_;
  }

  double elapsed() const { return seconds_between(started_ns_, surroundings_.clock.monotonic_ns()); }

  // Why it has to stop now; empty: it need not.
  std::string bound_reached(double now) const {
    const auto reached = [&](int64_t bound) { return bound > 0 && now + spec_.grace_s >= static_cast<double>(bound); };
    if (reached(spec_.time_limit_s)) return "time-limit";
    if (reached(permit_.paid_until_s)) return "unpaid";
    if (permit_.order == Order::stop) return permit_.why.empty() ? "stopped" : permit_.why;
    return surroundings_.asked_to_stop() ? "stopped" : "";
  }

  void note_checkpoint(double now) {
    struct stat there{};
    if (::lstat((files_.checkpoint() / "checkpoint.json").c_str(), &there) != 0) return;
    const auto changed = std::pair{there.st_ino, int64_t{there.st_mtim.tv_sec} * 1'000'000'000 + there.st_mtim.tv_nsec};
    if (changed == checkpoint_seen_) return;
    checkpoint_seen_ = changed;
    if (has_checkpoint_of(files_.checkpoint(), spec_.attempt)) exit_.checkpoint_s = static_cast<int64_t>(now);
  }

  // Sign of life, use, permit. False: the attempt is not ours any more.
  bool renew(double now) {
    note_checkpoint(now);
    const uint64_t memory = memory_below(::getpid());
    exit_.peak_memory_bytes = std::max(exit_.peak_memory_bytes, memory);
    const auto permit = lease_.renew(UseRecord{spec_.attempt, surroundings_.holder, permit_.acknowledged_s,
                                               static_cast<int64_t>(now), exit_.checkpoint_s, memory});
    if (permit && *permit) permit_ = **permit;
    if (spec_.memory_bytes > 0 && memory > spec_.memory_bytes) over_memory_ = true;
    return permit || permit.error().kind != ErrorKind::conflict;
  }

  Result<ExitRecord> watch(Child child) {
    started_ns_ = surroundings_.clock.monotonic_ns();
    std::string stopping;       // why it was told to stop
    double kill_at = INFINITY;  // when the grace is over
    double renew_at = 1;
    bool ours = true;
    std::optional<ChildExit> ended;
    while (!(ended = child.wait(kLookSeconds))) {
      const double now = elapsed();
      if (now >= renew_at) {
        ours = renew(now);
        renew_at = std::floor(now) + 1;
      }
      if (!ours || over_memory_ || permit_.order == Order::kill || now >= kill_at) {
        child.kill();
        ended = child.wait();
        break;
      }
      if (stopping.empty() && !(stopping = bound_reached(now)).empty()) {
        child.terminate();
        kill_at = now + spec_.grace_s;
      }
    }
    if (ended->guard_lost) kill_orphans();
    const double seconds = elapsed();
    note_checkpoint(seconds);
    exit_.seconds = static_cast<int64_t>(seconds);
    exit_.code = ended->code;
    exit_.text = exit_text(*ended);
    exit_.peak_memory_bytes = std::max(exit_.peak_memory_bytes, ended->peak_rss_bytes);
    exit_.resumable = has_checkpoint_of(files_.checkpoint(), spec_.attempt);
    judge(*ended, ours, stopping);
    TRY(lease_.end(exit_));
    return exit_;
  }

  void judge(const ChildExit& ended, bool ours, const std::string& stopping) {
    const Outcome outcome = judge_exit(ended, spec_.attempt, files_.report(), files_.checkpoint());
    if (!ours) {
      exit_.reason = "lost";
      exit_.text = "the attempt was not this shim's any more";
    } else if (over_memory_) {
      exit_.reason = "failed";
      exit_.text = "more memory than its " + bytes_text(spec_.memory_bytes);
    } else if (ended.guard_lost) {
      exit_.reason = "lost";
    } else if (outcome == Outcome::done) {
      exit_.reason = "done";
    } else if (outcome == Outcome::rolled_back) {
      exit_.reason = "rolled-back";
    } else if (!stopping.empty()) {
      exit_.reason = stopping;
    } else if (permit_.order == Order::kill) {
      exit_.reason = permit_.why.empty() ? "stopped" : permit_.why;
    } else {
      exit_.reason = outcome == Outcome::stopped ? "stopped" : "failed";
    }
  }

  const AttemptSpec& spec_;
  const AttemptFiles files_;
  LeaseClient& lease_;
  const ShimSurroundings& surroundings_;
  PermitRecord permit_;
  ExitRecord exit_;
  int64_t started_ns_ = 0;
  std::pair<ino_t, int64_t> checkpoint_seen_{};
  bool over_memory_ = false;
};

}  // namespace

const Clock& boot_clock() {
  static const BootClock clock;
  return clock;
}

Result<ExitRecord> run_attempt(const AttemptSpec& spec, LeaseClient& lease, const ShimSurroundings& surroundings) {
  return Attempt(spec, lease, surroundings).run();
}

}  // namespace tqm::task
