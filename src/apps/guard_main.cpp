// torquetum-guard CONTROL_FD FLAGS -- COMMAND…: stands between a program of ours and one child (src/task/children.hpp).
//
// The problem: a child may start processes of its own, which outlive it and us unless somebody gathers them; and a
// child forked from a large process reports that process's peak memory as its own. A small program in between solves
// both. It makes itself the subreaper, so that orphans of the tree become its children and no process can leave the
// tree; it starts the command in a process group of its own; and it kills everything below it when the command has
// ended, when it is told to, or when the other end of the control socket closes, which is what happens when we die,
// however we die.
//
// Talk on the control socket (src/task/guard_protocol.hpp): one byte in ('t' SIGTERM to the group, 'k' SIGKILL to the
// tree), fixed records out (started or failed, then ended).
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "task/guard_protocol.hpp"

namespace {

using tqm::task::GuardRecord;

int control = -1;
pid_t command_pid = -1;

void tell(const GuardRecord& record) {
  // One datagram; a reader that is gone is noticed by the poll.
  ssize_t n = -1;
  do n = ::write(control, &record, sizeof record);
  while (n < 0 && errno == EINTR);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double monotonic_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The parent of a process, from /proc/PID/stat: "pid (name) state ppid …", where the name may hold anything.
pid_t parent_of(const char* pid) {
  char text[512];
  const std::string path = std::string("/proc/") + pid + "/stat";
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t n = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (n <= 0) return -1;
  text[n] = 0;
  const char* after = std::strrchr(text, ')');
  int parent = -1;
  if (!after || std::sscanf(after + 1, " %*c %d", &parent) != 1) return -1;
  return parent;
}

// Kills what is below us, level by level: the orphans of those killed become our children and are found in the next
// round.
void kill_tree() {
  const pid_t self = ::getpid();
  while (true) {
    if (command_pid > 0) ::kill(-command_pid, SIGKILL);
    if (DIR* processes = ::opendir("/proc")) {
      while (const dirent* entry = ::readdir(processes))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && parent_of(entry->d_name) == self)
          ::kill(static_cast<pid_t>(std::atoi(entry->d_name)), SIGKILL);
      ::closedir(processes);
    }
    // The command itself is left to be waited for by who wants its figures.
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) != 0) return;
    if (info.si_pid == command_pid) return;
    while (::waitpid(info.si_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

bool set_limit(const char* text, decltype(RLIMIT_AS) what) {
  const unsigned long long most = std::strtoull(text, nullptr, 10);
  const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  return most == 0 || ::setrlimit(what, &limit) == 0;
}

// The groups of the user we were are left too.
bool become(const char* user, const char* group) {
  const auto uid = static_cast<uid_t>(std::strtoul(user, nullptr, 10));
  const auto gid = static_cast<gid_t>(std::strtoul(group, nullptr, 10));
  return ::setgroups(0, nullptr) == 0 && ::setresgid(gid, gid, gid) == 0 && ::setresuid(uid, uid, uid) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  // argv: control descriptor, work folder, stdout file, stderr file, address space, file size, no new privileges, user,
  // group, then the command.
  constexpr int kCommandAt = 10;
  if (argc <= kCommandAt) {
    std::fprintf(stderr, "torquetum-guard is started by the other programs, not by hand.\n");
    return 1;
  }
  control = std::atoi(argv[1]);
  ::fcntl(control, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_NAME, "torquetum-guard");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Who stops the work talks to us through the socket; a signal meant for a whole terminal is not for us.
  sigset_t held, old_mask;
  ::sigemptyset(&held);
  for (int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) ::sigaddset(&held, number);
  ::sigprocmask(SIG_BLOCK, &held, &old_mask);
  sigset_t child_signal;
  ::sigemptyset(&child_signal);
  ::sigaddset(&child_signal, SIGCHLD);
  const int child_fd = ::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);

  int failure[2];
  GuardRecord record{};
  if (child_fd < 0 || ::pipe2(failure, O_CLOEXEC) != 0) {
    record.kind = GuardRecord::failed;
    record.error_number = errno;
    tell(record);
    return 1;
  }
  const double started = monotonic_seconds();
  const pid_t guard_pid = ::getpid();
  command_pid = ::fork();
  if (command_pid == 0) {
    GuardRecord problem{};
    problem.kind = GuardRecord::failed;
    auto fail = [&](GuardRecord::Step step) {
      problem.step = step;
      problem.error_number = errno;
      [[maybe_unused]] const ssize_t n = ::write(failure[1], &problem, sizeof problem);
      ::_exit(127);
    };
    auto redirect = [&](const char* path, int fd, int flags) {
      const int file = ::open(path, flags | O_CLOEXEC, 0666);
      return file >= 0 && ::dup2(file, fd) >= 0;
    };
    ::setpgid(0, 0);
    if (*argv[2] && ::chdir(argv[2]) != 0) fail(GuardRecord::work_folder);
    if (!redirect("/dev/null", 0, O_RDONLY)) fail(GuardRecord::standard_input);
    if (*argv[3] && !redirect(argv[3], 1, O_WRONLY | O_CREAT | O_APPEND)) fail(GuardRecord::standard_output);
    if (*argv[4] && !redirect(argv[4], 2, O_WRONLY | O_CREAT | O_APPEND)) fail(GuardRecord::standard_error);
    if (!set_limit(argv[5], RLIMIT_AS) || !set_limit(argv[6], RLIMIT_FSIZE)) fail(GuardRecord::limits);
    if (*argv[8] && !become(argv[8], argv[9])) fail(GuardRecord::user);
    if (*argv[7] && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail(GuardRecord::user);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a change of user would take it back
    if (::getppid() != guard_pid) ::_exit(127);
    ::sigprocmask(SIG_SETMASK, &old_mask, nullptr);
    ::execvp(argv[kCommandAt], argv + kCommandAt);
    fail(GuardRecord::command);
  }
  ::close(failure[1]);
  GuardRecord first{};
  first.kind = GuardRecord::failed;
  first.error_number = errno;
  if (command_pid > 0) {
    ::setpgid(command_pid, command_pid);
    ssize_t n = -1;
    do n = ::read(failure[0], &first, sizeof first);
    while (n < 0 && errno == EINTR);
    if (n == 0) {
      first.kind = GuardRecord::started;
      first.pid = command_pid;
    }
  }
  ::close(failure[0]);
  tell(first);
  if (first.kind == GuardRecord::failed) return 1;

  bool over = false;
  while (!over) {
    pollfd watched[] = {{control, POLLIN, 0}, {child_fd, POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0 && errno != EINTR) break;
    if (watched[0].revents) {
      char word = 0;
      const ssize_t n = ::read(control, &word, 1);
      if (n == 1 && word == 't')
        ::kill(-command_pid, SIGTERM);
      else if (!(n < 0 && (errno == EINTR || errno == EAGAIN)))
        over = true;
    }
    if (watched[1].revents) {
      signalfd_siginfo info;
      while (::read(child_fd, &info, sizeof info) > 0) {
      }
      // Orphans that have ended are waited for; the command itself ends the loop.
      while (!over) {
        siginfo_t ended{};
        if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) break;
        if (ended.si_pid == command_pid)
          over = true;
        else
          ::waitpid(ended.si_pid, nullptr, WNOHANG);
      }
    }
  }
  // With the command a zombie its group's number can't be taken by others while the rest of the tree is killed.
  record.kind = GuardRecord::ended;
  record.wall_seconds = monotonic_seconds() - started;
  kill_tree();
  int status = 0;
  rusage usage{};
  while (::wait4(command_pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  const pid_t ended_pid = command_pid;
  command_pid = -1;
  kill_tree();
  record.pid = ended_pid;
  record.status = status;
  record.user_seconds = seconds(usage.ru_utime);
  record.system_seconds = seconds(usage.ru_stime);
  record.peak_rss_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  tell(record);
  return 0;
}
