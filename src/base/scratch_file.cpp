#include "base/scratch_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/file.hpp"

namespace tqm {

Status write_scratch_file(const std::filesystem::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) return system_error("can't write the file", path, errno);
  while (!content.empty()) {
    const ssize_t wrote = ::write(file.get(), content.data(), content.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return system_error("can't write the file", path, errno);
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (::close(file.release()) != 0) return system_error("can't write the file", path, errno);
  return {};
}

}  // namespace tqm
