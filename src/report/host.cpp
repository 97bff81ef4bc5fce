#include "report/host.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace tqm::report {
namespace {

// The value of the first line that begins with key, up to the line's end, quotes and separators off.
std::string value_in(const std::filesystem::path& path, std::string_view key) {
  Result<std::string> text = read_file(path, 1 << 22);
  if (!text) return "";
  for (const std::string& line : split(*text, '\n')) {
    if (!line.starts_with(key)) continue;
    std::string_view rest = trim(std::string_view(line).substr(key.size()));
    while (!rest.empty() && (rest.front() == ':' || rest.front() == '=' || rest.front() == '"' || rest.front() == ' '))
      rest.remove_prefix(1);
    if (!rest.empty() && rest.back() == '"') rest.remove_suffix(1);
    return std::string(rest);
  }
  return "";
}

}  // namespace

Host this_host(int threads) {
  Host host;
  utsname names{};
  ::uname(&names);
  host.system = value_in("/etc/os-release", "PRETTY_NAME");
  host.system += (host.system.empty() ? "" : ", ") + std::string(names.machine);
  host.processor = value_in("/proc/cpuinfo", "model name");
  host.threads = threads > 0 ? threads : usable_processors();
  host.memory_bytes = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return host;
}

}  // namespace tqm::report
