#include "base/file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tqm {
namespace fs = std::filesystem;
namespace {

// Closes on every way out.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Error system_error(std::string what, const fs::path& path, int error_number) {
  ErrorKind kind = ErrorKind::environment;
  std::string next;
  switch (error_number) {
    case ENOENT:
      kind = ErrorKind::not_found;
      next = "check the path";
      break;
    case ENOTDIR:
    case EISDIR:
      kind = ErrorKind::bad_input;
      next = "check the path";
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      kind = ErrorKind::permission;
      next = "choose a place that you may use, or change its permissions";
      break;
    case ENOSPC:
    case EDQUOT:
      next = "free some space, or choose a folder on another disk, and start again";
      break;
    default:
      break;
  }
  return Error{kind, std::move(what) + ": " + std::strerror(error_number), path.string(), next};
}

Result<std::string> read_file(const fs::path& path, uint64_t max_bytes) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return system_error("can't open the file", path, errno);
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) return system_error("can't read the file", path, errno);
  if (S_ISDIR(info.st_mode)) return system_error("can't read the file", path, EISDIR);
  std::string content;
  content.resize(S_ISREG(info.st_mode) && static_cast<uint64_t>(info.st_size) <= max_bytes
                     ? static_cast<size_t>(info.st_size) + 1
                     : 65536);
  size_t used = 0;
  while (true) {
    if (used == content.size()) content.resize(content.size() * 2);
    ssize_t n = ::read(file.fd, content.data() + used, content.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("can't read the file", path, errno);
    if (n == 0) break;
    used += static_cast<size_t>(n);
    if (used > max_bytes)
      return Error{ErrorKind::bad_input, "the file is larger than " + std::to_string(max_bytes) + " bytes",
                   path.string(), "is it the right file?"};
  }
  content.resize(used);
  return content;
}

Status flush_folder(const fs::path& path) {
  Descriptor folder{::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.fd < 0) return system_error("can't open the folder", path, errno);
  if (::fsync(folder.fd) != 0 && errno != EINVAL) return system_error("can't flush the folder", path, errno);
  return {};
}

Status write_file_atomic(const fs::path& path, std::string_view content) {
  fs::path part = path;
  part += ".part-" + std::to_string(::getpid());
  auto write_part = [&]() -> Status {
    Descriptor file{::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.fd < 0) return system_error("can't write the file", path, errno);
    for (size_t done = 0; done < content.size();) {
      ssize_t n = ::write(file.fd, content.data() + done, content.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_error("can't write the file", path, errno);
      done += static_cast<size_t>(n);
    }
    if (::fsync(file.fd) != 0) return system_error("can't flush the file", path, errno);
    return {};
  };
  if (Status written = write_part(); !written) {
    ::unlink(part.c_str());
    return written;
  }
  if (::rename(part.c_str(), path.c_str()) != 0) {
    int error_number = errno;
    ::unlink(part.c_str());
    return system_error("can't put the file in place", path, error_number);
  }
  return flush_folder(path.parent_path());
}

Status make_folders(const fs::path& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) return system_error("can't make the folder", path, code.value());
  return {};
}

Status remove_all(const fs::path& path) {
  std::error_code code;
  fs::remove_all(path, code);
  if (code) return system_error("can't remove", path, code.value());
  return {};
}

struct MappedFile::Mapping {
  fs::path path;
  void* address = nullptr;
  size_t size = 0;
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (address) ::munmap(address, size);
  }
};

Result<MappedFile> MappedFile::open(const fs::path& path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return system_error("can't open the file", path, errno);
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) return system_error("can't read the file", path, errno);
  if (!S_ISREG(info.st_mode))
    return Error{ErrorKind::bad_input, "not a regular file", path.string(), "check the path"};
  auto mapping = std::make_shared<Mapping>();
  mapping->path = path;
  mapping->size = static_cast<size_t>(info.st_size);
  if (mapping->size > 0) {
    void* address = ::mmap(nullptr, mapping->size, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (address == MAP_FAILED) return system_error("can't map the file", path, errno);
    mapping->address = address;
  }
  MappedFile mapped;
  mapped.mapping_ = std::move(mapping);
  return mapped;
}

std::span<const std::byte> MappedFile::bytes() const {
  return {static_cast<const std::byte*>(mapping_->address), mapping_->size};
}

const fs::path& MappedFile::path() const { return mapping_->path; }

void MappedFile::release(size_t offset, size_t length) const {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t begin = (offset + page - 1) / page * page;
  size_t end = std::min(offset + length, mapping_->size) / page * page;
  if (begin < end) ::madvise(static_cast<char*>(mapping_->address) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace tqm
