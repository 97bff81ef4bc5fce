// Files: whole reads, atomic writes, memory-mapped reading. Every failure names the path and what to do next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm {

// The whole file; at most max_bytes, beyond that bad_input.
Result<std::string> read_file(const std::filesystem::path& path, uint64_t max_bytes = uint64_t{1} << 32);

// Written under another name, flushed, renamed; the folder flushed too. Either the old or the new content is there, never half.
Status write_file_atomic(const std::filesystem::path& path, std::string_view content);

Status make_folders(const std::filesystem::path& path);
Status remove_all(const std::filesystem::path& path);
Status flush_folder(const std::filesystem::path& path);

// errno as an Error: what failed on which path, with advice for the common ones (disk full, permission, missing).
Error system_error(std::string what, const std::filesystem::path& path, int error_number);

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
