#include "task/children.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/process.hpp"
#include "task/checkpoint.hpp"
#include "task/guard_protocol.hpp"

extern char** environ;

namespace tqm::task {
namespace fs = std::filesystem;

const std::vector<std::string> kTaskVariables = {"TORQUETUM_EVENTS", "TORQUETUM_CHECKPOINT", "TORQUETUM_REPORT",
                                                 "TORQUETUM_ATTEMPT", "TORQUETUM_STOP_SECONDS"};

struct Child::State {
  Descriptor control;
  pid_t guard = -1;
  int pid = 0;
  std::optional<ChildExit> exit;

  void say(char word) {
    if (!exit) ::send(control.get(), &word, 1, MSG_NOSIGNAL);
  }

  void reap_guard() {
    while (::waitpid(guard, nullptr, 0) < 0 && errno == EINTR) {
    }
    guard = -1;
  }
};

namespace {

std::vector<std::string> child_environment(const ChildSpec& spec) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string pair(*entry);
    const std::string key = pair.substr(0, pair.find('='));
    const bool dropped =
        std::find(spec.unset_environment.begin(), spec.unset_environment.end(), key) != spec.unset_environment.end() ||
        std::any_of(spec.set_environment.begin(), spec.set_environment.end(),
                    [&](const auto& item) { return item.first == key; });
    if (!dropped) environment.push_back(pair);
  }
  for (const auto& [key, value] : spec.set_environment) environment.push_back(key + "=" + value);
  return environment;
}

// None: the guard is gone.
std::optional<GuardRecord> read_record(int control) {
  GuardRecord record;
  ssize_t n = -1;
  do n = ::recv(control, &record, sizeof record, 0);
  while (n < 0 && errno == EINTR);
  if (n != static_cast<ssize_t>(sizeof record)) return std::nullopt;
  return record;
}

Error start_error(const ChildSpec& spec, const GuardRecord& record) {
  const std::string& program = spec.command[0];
  switch (record.step) {
    case GuardRecord::command:
      if (record.error_number == ENOENT)
        return Error{ErrorKind::not_found, "there is no program " + program, "PATH", "install it, or give its path"};
      return system_error("can't start the program", program, record.error_number);
    case GuardRecord::work_folder:
      return system_error("can't start " + program + " in this folder", spec.work_folder, record.error_number);
    case GuardRecord::standard_input:
      return system_error("can't open", "/dev/null", record.error_number);
    case GuardRecord::standard_output:
      return system_error("can't write the file", spec.stdout_file, record.error_number);
    case GuardRecord::standard_error:
      return system_error("can't write the file", spec.stderr_file, record.error_number);
    case GuardRecord::user:
      return system_error("can't change to the user for", program, record.error_number);
    case GuardRecord::limits:
      return system_error("can't set the limits of", program, record.error_number);
  }
  return system_error("can't start the program", program, record.error_number);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace

Child::Child(std::unique_ptr<State> state) : state_(std::move(state)) {}
Child::Child(Child&&) noexcept = default;

Child& Child::operator=(Child&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Child::~Child() {
  if (!state_ || state_->exit) return;
  kill();
  wait();
}

Result<Child> Child::start(const ChildSpec& spec) {
  ASSERT(!spec.command.empty());
  const auto guard = find_program("torquetum-guard");
  if (!guard)
    return Error{ErrorKind::environment, "torquetum-guard is not installed beside this program", own_binary().string(),
                 "install Torquetum's programs together, in one folder"};
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("can't make a socket pair", "", errno);
  auto state = std::make_unique<State>();
  state->control = Descriptor(ends[0]);
  Descriptor guard_end(ends[1]);

  constexpr int kControlInGuard = 3;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, guard_end.get(), kControlInGuard);
  sigset_t defaults, none;
  ::sigfillset(&defaults);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> arguments = {guard->string(),
                                        std::to_string(kControlInGuard),
                                        spec.work_folder.string(),
                                        spec.stdout_file.string(),
                                        spec.stderr_file.string(),
                                        std::to_string(spec.address_space_bytes),
                                        std::to_string(spec.file_bytes),
                                        spec.no_new_privileges ? "1" : "",
                                        spec.run_as ? std::to_string(spec.run_as->uid) : "",
                                        spec.run_as ? std::to_string(spec.run_as->gid) : ""};
  arguments.insert(arguments.end(), spec.command.begin(), spec.command.end());
  const std::vector<std::string> environment = child_environment(spec);
  const int failed = ::posix_spawn(&state->guard, guard->c_str(), &actions, &attributes, pointers(arguments).data(),
                                   pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return system_error("can't start the program", *guard, failed);
  guard_end.reset();

  const auto record = read_record(state->control.get());
  if (!record || record->kind != GuardRecord::started) {
    state->reap_guard();
    if (!record)
      return Error{ErrorKind::environment, "torquetum-guard ended before it started " + spec.command[0],
                   guard->string(), "is the machine out of memory?"};
    return start_error(spec, *record);
  }
  state->pid = record->pid;
  return Child(std::move(state));
}

int Child::pid() const {
  return state_->pid;
}
int Child::descriptor() const {
  return state_->control.get();
}
void Child::terminate() {
  state_->say('t');
}
void Child::kill() {
  state_->say('k');
}

std::optional<ChildExit> Child::wait(double timeout_seconds) {
  State& s = *state_;
  if (s.exit) return s.exit;
  const Clock& clock = system_clock();
  const int64_t begin = clock.monotonic_ns();
  while (true) {
    const double left_ms = std::ceil((timeout_seconds - seconds_between(begin, clock.monotonic_ns())) * 1000);
    pollfd polled{s.control.get(), POLLIN, 0};
    const int ready = ::poll(&polled, 1, left_ms >= INT_MAX ? -1 : std::max(0, static_cast<int>(left_ms)));
    if (ready > 0) break;
    if (ready == 0 && left_ms <= 0) return std::nullopt;
  }
  const auto record = read_record(s.control.get());
  ChildExit ended;
  if (record) {
    ended.signal = WIFSIGNALED(record->status) ? WTERMSIG(record->status) : 0;
    ended.code = ended.signal ? 128 + ended.signal : WEXITSTATUS(record->status);
    ended.peak_rss_bytes = record->peak_rss_bytes;
    ended.user_seconds = record->user_seconds;
    ended.system_seconds = record->system_seconds;
    ended.wall_seconds = record->wall_seconds;
  } else {
    ended.guard_lost = true;
    ended.signal = SIGKILL;
    ended.code = 128 + SIGKILL;
  }
  s.reap_guard();
  s.exit = ended;
  return s.exit;
}

ChildExit Child::wait() {
  return *wait(1e12);
}

ChildExit Child::stop(double grace_seconds) {
  terminate();
  if (auto ended = wait(grace_seconds)) return *ended;
  kill();
  return wait();
}

Outcome judge_exit(const ChildExit& child_exit, int64_t attempt, const fs::path& report_folder,
                   const fs::path& checkpoint_folder) {
  auto has_report = [&] {
    const auto report = read_json(report_folder / "report.json");
    if (!report || !report->is_object()) return false;
    const auto field = report->find("attempt");
    return field != report->end() && field->is_number_integer() && *field == attempt;
  };
  if (child_exit.signal != 0) return Outcome::failed;
  switch (child_exit.code) {
    case 0:
      return Outcome::done;
    case 2:
      return has_report() ? Outcome::rolled_back : Outcome::failed;
    case 75:
      return has_checkpoint_of(checkpoint_folder, attempt) || has_report() ? Outcome::stopped : Outcome::failed;
    case 70:
      return Outcome::internal;
    default:
      return Outcome::failed;
  }
}

std::string exit_text(const ChildExit& child_exit) {
  if (child_exit.guard_lost) return "lost: its guard was killed";
  if (child_exit.signal == 0) return "exit " + std::to_string(child_exit.code);
  return "killed by signal " + std::to_string(child_exit.signal) + " (" + ::strsignal(child_exit.signal) + ")";
}

}  // namespace tqm::task
