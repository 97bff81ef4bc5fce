#include "base/file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tqm {
namespace fs = std::filesystem;
namespace {

// Part files carry this in their names, so that those of killed writers can be told from other files.
constexpr std::string_view kPartMark = ".tqm-part-";

Status write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("can't write the file", path, errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

// Unique between threads, processes and machines that share the folder.
fs::path part_name(const fs::path& path) {
  static std::atomic<uint64_t> counter{0};
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
    random = static_cast<uint64_t>(::getpid()) << 32 ^ static_cast<uint64_t>(::time(nullptr));
  std::string name = path.filename().string();
  std::string tail = std::string(kPartMark) + std::to_string(random) + "-" +
                     std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
  name.resize(std::min(name.size(), size_t{NAME_MAX} - tail.size() - 1));
  return path.parent_path() / ("." + name + tail);
}

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
    case EFBIG:
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
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error("can't open the file", path, errno);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return system_error("can't read the file", path, errno);
  if (S_ISDIR(info.st_mode)) return system_error("can't read the file", path, EISDIR);
  std::string content;
  content.resize(S_ISREG(info.st_mode) && static_cast<uint64_t>(info.st_size) <= max_bytes
                     ? static_cast<size_t>(info.st_size) + 1
                     : 65536);
  size_t used = 0;
  while (true) {
    if (used == content.size()) content.resize(content.size() * 2);
    ssize_t n = ::read(file.get(), content.data() + used, content.size() - used);
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
  Descriptor folder(::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return system_error("can't open the folder", path, errno);
  if (::fsync(folder.get()) != 0 && errno != EINVAL) return system_error("can't flush the folder", path, errno);
  return {};
}

Status flush_file(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error("can't open the file", path, errno);
  if (::fsync(file.get()) != 0) return system_error("can't flush the file", path, errno);
  return {};
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::exchange(other.part_, {})),
      file_(std::move(other.file_)),
      written_(other.written_) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    abandon();
    path_ = std::move(other.path_);
    part_ = std::exchange(other.part_, {});
    file_ = std::move(other.file_);
    written_ = other.written_;
  }
  return *this;
}

AtomicFile::~AtomicFile() {
  abandon();
}

void AtomicFile::abandon() {
  if (!part_.empty()) ::unlink(part_.c_str());
  part_.clear();
  file_.reset();
}

Result<AtomicFile> AtomicFile::create(const fs::path& asked_path) {
  fs::path path = asked_path;
  struct stat link{};
  if (::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) {
    std::error_code code;
    fs::path target = fs::canonical(path, code);
    if (!code) path = target;
  }
  AtomicFile file;
  file.path_ = path;
  struct stat old{};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) return system_error("can't write the file", asked_path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    file.file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.file_) return system_error("can't write the file", asked_path, errno);
    return file;
  }
  // The lock says that the part file's writer lives. A cleaner may come between open and lock: then the file is gone,
  // once more.
  while (true) {
    file.part_ = part_name(path);
    file.file_ = Descriptor(::open(file.part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.file_) {
      int error_number = errno;
      file.part_.clear();
      if (error_number == EEXIST) continue;
      return system_error("can't write the file", asked_path, error_number);
    }
    ::flock(file.file_.get(), LOCK_SH | LOCK_NB);
    struct stat mine{};
    if (::fstat(file.file_.get(), &mine) != 0) return system_error("can't write the file", asked_path, errno);
    if (mine.st_nlink > 0) break;
  }
  if (exists && ::fchmod(file.file_.get(), old.st_mode & 07777) != 0)
    return system_error("can't keep the file's permissions", asked_path, errno);
  return file;
}

Status AtomicFile::write(std::string_view bytes) {
  TRY(write_all(file_.get(), bytes, path_));
  written_ += bytes.size();
  return {};
}

Status AtomicFile::commit() {
  if (part_.empty()) {
    if (::close(file_.release()) != 0) return system_error("can't write the file", path_, errno);
    return {};
  }
  if (::fsync(file_.get()) != 0) return system_error("can't flush the file", path_, errno);
  if (::rename(part_.c_str(), path_.c_str()) != 0) return system_error("can't put the file in place", path_, errno);
  part_.clear();
  file_.reset();
  return flush_folder(path_.parent_path());
}

Status write_file_atomic(const fs::path& path, std::string_view content) {
  AtomicFile file = TRY(AtomicFile::create(path));
  TRY(file.write(content));
  return file.commit();
}

Result<int> remove_part_files(const fs::path& folder) {
  std::error_code code;
  int removed = 0;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    if (entry->path().filename().string().find(kPartMark) == std::string::npos) continue;
    Descriptor file(::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (::unlink(entry->path().c_str()) == 0) ++removed;
  }
  if (code) return system_error("can't read the folder", folder, code.value());
  return removed;
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

Result<TemporaryFolder> TemporaryFolder::make(const std::string& prefix) {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = (fs::path(base && *base ? base : "/tmp") / (prefix + "-XXXXXX")).string();
  if (!::mkdtemp(pattern.data())) return system_error("can't make a temporary folder", pattern, errno);
  TemporaryFolder folder;
  folder.path_ = pattern;
  return folder;
}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
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
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error("can't open the file", path, errno);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return system_error("can't read the file", path, errno);
  if (!S_ISREG(info.st_mode)) return Error{ErrorKind::bad_input, "not a regular file", path.string(), "check the path"};
  auto mapping = std::make_shared<Mapping>();
  mapping->path = path;
  mapping->size = static_cast<size_t>(info.st_size);
  if (mapping->size > 0) {
    void* address = ::mmap(nullptr, mapping->size, PROT_READ, MAP_PRIVATE, file.get(), 0);
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

const fs::path& MappedFile::path() const {
  return mapping_->path;
}

void MappedFile::release(size_t offset, size_t length) const {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t begin = (offset + page - 1) / page * page;
  size_t end = std::min(offset + length, mapping_->size) / page * page;
  if (begin < end) ::madvise(static_cast<char*>(mapping_->address) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace tqm
