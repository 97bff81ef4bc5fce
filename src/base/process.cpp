#include "base/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

extern char** environ;

namespace tqm {
namespace fs = std::filesystem;
namespace {

struct Pipe {
  Descriptor read_end, write_end;
  static Result<Pipe> make() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("can't make a pipe", "", errno);
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  }
};

// What comes from one stream, up to a limit.
struct Sink {
  Descriptor fd;
  std::string* text;
  bool cut = false;

  void read_some(uint64_t most) {
    char piece[65536];
    const ssize_t n = ::read(fd.get(), piece, sizeof piece);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) {
      fd.reset();
      return;
    }
    const size_t room = static_cast<size_t>(most - std::min<uint64_t>(most, text->size()));
    cut = cut || static_cast<size_t>(n) > room;
    text->append(piece, std::min(static_cast<size_t>(n), room));
  }
};

uint64_t status_value(std::string_view field) {
  const auto text = read_file("/proc/self/status", 1 << 20);
  if (!text) return 0;
  const size_t at = text->find(field);
  if (at == std::string::npos) return 0;
  return std::strtoull(text->c_str() + at + field.size(), nullptr, 10) * 1024;
}

}  // namespace

Result<CommandResult> run_command(const Command& command) {
  ASSERT(!command.arguments.empty());
  const std::string& program = command.arguments[0];
  if (!command.work_folder.empty() && !fs::is_directory(command.work_folder))
    return system_error("can't start " + program + " in this folder", command.work_folder, ENOENT);
  Pipe in = TRY(Pipe::make());
  Pipe out = TRY(Pipe::make());
  Pipe err = TRY(Pipe::make());

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, in.read_end.get(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.write_end.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, err.write_end.get(), 2);
  if (!command.work_folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, command.work_folder.c_str());
  sigset_t defaults, none;
  ::sigfillset(&defaults);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view pair(*entry);
    const std::string_view key = pair.substr(0, pair.find('='));
    const bool replaced = std::any_of(command.set_environment.begin(), command.set_environment.end(),
                                      [&](const auto& item) { return item.first == key; });
    if (!replaced) environment.emplace_back(pair);
  }
  for (const auto& [key, value] : command.set_environment) environment.push_back(key + "=" + value);
  std::vector<char*> argv, envp;
  for (const std::string& argument : command.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  for (const std::string& entry : environment) envp.push_back(const_cast<char*>(entry.c_str()));
  argv.push_back(nullptr);
  envp.push_back(nullptr);

  pid_t pid = -1;
  const int failed = ::posix_spawnp(&pid, program.c_str(), &actions, &attributes, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed == ENOENT)
    return Error{ErrorKind::not_found, "there is no program " + program, "PATH", "install it, or give its path"};
  if (failed != 0) return system_error("can't start the program", program, failed);
  in.read_end.reset();
  out.write_end.reset();
  err.write_end.reset();

  CommandResult result;
  Sink sinks[] = {{std::move(out.read_end), &result.output}, {std::move(err.read_end), &result.errors}};
  for (int fd : {sinks[0].fd.get(), sinks[1].fd.get(), in.write_end.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  if (command.input.empty()) in.write_end.reset();
  // Writing to a child that reads no more must not kill us: the signal is held back in this thread and taken off again.
  sigset_t pipe_signal, old_mask;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &old_mask);

  std::string_view input = command.input;
  const int64_t started = system_clock().monotonic_ns();
  int status = 0;
  bool reaped = false;
  while (!reaped) {
    if (command.timeout_seconds > 0 && !result.timed_out &&
        seconds_between(started, system_clock().monotonic_ns()) > command.timeout_seconds) {
      ::kill(-pid, SIGKILL);
      result.timed_out = true;
    }
    pollfd polled[] = {
        {sinks[0].fd.get(), POLLIN, 0}, {sinks[1].fd.get(), POLLIN, 0}, {in.write_end.get(), POLLOUT, 0}};
    ::poll(polled, 3, 20);
    for (size_t i = 0; i < 2; ++i)
      if (polled[i].fd >= 0 && polled[i].revents) sinks[i].read_some(command.most_output_bytes);
    if (polled[2].fd >= 0 && polled[2].revents) {
      const ssize_t n = ::write(in.write_end.get(), input.data(), input.size());
      if (n > 0) input.remove_prefix(static_cast<size_t>(n));
      if ((n < 0 && errno != EINTR && errno != EAGAIN) || input.empty()) in.write_end.reset();
    }
    // With both streams closed nothing is left but to wait; else a child that has ended may have left its streams to
    // others.
    reaped = ::waitpid(pid, &status, WNOHANG) == pid;
  }
  for (Sink& sink : sinks)  // what is still in the pipes
    for (pollfd more{sink.fd.get(), POLLIN, 0}; sink.fd && ::poll(&more, 1, 0) > 0;)
      sink.read_some(command.most_output_bytes);

  if (!::sigismember(&old_mask, SIGPIPE)) {
    const timespec now{};
    while (::sigtimedwait(&pipe_signal, nullptr, &now) == SIGPIPE) {
    }
    ::pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
  }
  result.output_cut = sinks[0].cut || sinks[1].cut;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.code = result.signal ? 128 + result.signal : WEXITSTATUS(status);
  return result;
}

fs::path own_binary() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code);
}

std::optional<fs::path> find_program(std::string_view name) {
  std::vector<fs::path> folders;
  if (const fs::path own = own_binary(); !own.empty()) {
    folders.push_back(own.parent_path());
    folders.push_back(own.parent_path().parent_path() / "bin");
  }
  if (auto path = environment_variable("PATH"))
    for (const std::string& folder : split(*path, ':')) folders.emplace_back(folder.empty() ? "." : folder);
  for (const fs::path& folder : folders) {
    fs::path candidate = folder / name;
    std::error_code code;
    if (fs::is_regular_file(candidate, code) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return std::string(value);
}

uint64_t peak_memory_bytes() {
  return status_value("VmHWM:");
}
uint64_t current_memory_bytes() {
  return status_value("VmRSS:");
}

int usable_processors() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));  // more of them than cpu_set_t holds
}

}  // namespace tqm
