#include "base/lock_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"

namespace tqm {
namespace fs = std::filesystem;
namespace {

// Whether the open file is still the one of this name: its last holder may have removed it meanwhile.
bool still_named(int file, const fs::path& path) {
  struct stat held{}, named{};
  return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

}  // namespace

Result<LockFile> LockFile::take(const fs::path& path) {
  for (;;) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file) return system_error("can't write the lock file", path, errno);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return system_error("can't lock the file", path, errno);
      return Error{ErrorKind::conflict, "another process holds the lock", path.string(), "wait for it to end"};
    }
    if (!still_named(file.get(), path)) continue;
    LockFile lock;
    lock.content_ = TRY(read_file(path));
    lock.path_ = path;
    lock.file_ = std::move(file);
    return lock;
  }
}

LockFile::~LockFile() {
  if (file_ && content_.empty()) ::unlink(path_.c_str());
}

Status LockFile::write(std::string_view content) {
  // Emptied first: a content cut short is then never followed by the rest of an older one.
  if (::ftruncate(file_.get(), 0) != 0) return system_error("can't write the lock file", path_, errno);
  content_ = content;
  for (size_t at = 0; at < content.size();) {
    const ssize_t n = ::pwrite(file_.get(), content.data() + at, content.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno != EINTR) return system_error("can't write the lock file", path_, errno);
    if (n > 0) at += static_cast<size_t>(n);
  }
  if (::fsync(file_.get()) != 0) return system_error("can't write the lock file", path_, errno);
  return flush_folder(path_.parent_path());
}

}  // namespace tqm
