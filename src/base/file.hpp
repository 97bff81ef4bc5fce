// Files: whole reads, atomic writes, memory-mapped reading. Every failure names the path and what to do next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace tqm {

// The whole file; at most max_bytes, beyond that bad_input.
Result<std::string> read_file(const std::filesystem::path& path, uint64_t max_bytes = uint64_t{1} << 32);

// Written under another name, flushed, renamed; the folder flushed too. Either the old or the new content is there,
// never half. Follows a symbolic link, keeps the old file's permissions, writes straight into what is no regular file
// (/dev/stdout).
Status write_file_atomic(const std::filesystem::path& path, std::string_view content);

// The same for content that comes piece by piece. Without commit() nothing stays behind.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();
  Status write(std::string_view bytes);
  Status write(std::span<const std::byte> bytes) {
    return write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  uint64_t written() const { return written_; }
  Status commit();

 private:
  AtomicFile() = default;
  void abandon();
  std::filesystem::path path_, part_;  // part_ empty: straight into path_
  Descriptor file_;
  uint64_t written_ = 0;
};

// What writers that were killed left in the folder (their part files, which nobody holds open any more). Returns how
// many.
Result<int> remove_part_files(const std::filesystem::path& folder);

Status make_folders(const std::filesystem::path& path);
Status remove_all(const std::filesystem::path& path);
Status flush_folder(const std::filesystem::path& path);
Status flush_file(const std::filesystem::path& path);

// errno as an Error: what failed on which path, with advice for the common ones (disk full, permission, missing).
Error system_error(std::string what, const std::filesystem::path& path, int error_number);

// A folder of its own under TMPDIR (else /tmp), removed with everything in it at the end.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(const std::string& prefix = "torquetum");
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder() = default;
  std::filesystem::path path_;
};

// A file mapped read-only; the mapping lives as long as any copy.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  std::span<const std::byte> bytes() const;
  const std::filesystem::path& path() const;
  // Tells the kernel that these pages won't be needed again soon, so that resident memory stays bounded.
  void release(size_t offset, size_t length) const;

 private:
  struct Mapping;
  std::shared_ptr<const Mapping> mapping_;
};

}  // namespace tqm
