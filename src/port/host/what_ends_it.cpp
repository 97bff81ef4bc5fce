#include "port/host/what_ends_it.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "port/host/translate.hpp"

namespace tqm::port {
namespace {

constexpr unsigned kSeconds = 120;
constexpr rlim_t kBytes = rlim_t{6} << 30;  // of address space, beyond what is held already

rlim_t held_bytes() {
  const auto text = read_file("/proc/self/statm");
  const rlim_t pages = text.ok() ? std::strtoull(text->c_str(), nullptr, 10) : 0;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void in_child(const std::filesystem::path& source, const ParseOptions& parsing,
                           const emit::Emitter& emitter) {
  const rlim_t most = held_bytes() + kBytes;
  const rlimit memory = {most, most}, no_core = {0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  alarm(kSeconds);
  static_cast<void>(translate_file(source, parsing, emitter).ok());
  _exit(0);
}

}  // namespace

std::optional<std::string> what_ends_it(const std::filesystem::path& source, const ParseOptions& parsing,
                                        const emit::Emitter& emitter) {
  const pid_t child = fork();
  if (child < 0) return fmt::format("no process could be started for it ({})", std::strerror(errno));
  if (child == 0) in_child(source, parsing, emitter);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return fmt::format("its process was lost ({})", std::strerror(errno));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return fmt::format("it took more than {} s", kSeconds);
  if (WIFSIGNALED(status))
    return fmt::format("Clang ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return fmt::format("Clang ended with exit {}", WEXITSTATUS(status));
  return std::nullopt;
}

}  // namespace tqm::port
