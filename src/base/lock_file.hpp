// A file that one process holds at a time, for as long as the object lives; a kill gives it free. What the holder
// writes into it outlives the holder: the next one finds it, and goes by it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace tqm {

class LockFile {
 public:
  // Makes the file where it is missing, not its folder. conflict where another process holds it.
  static Result<LockFile> take(const std::filesystem::path& path);
  LockFile(LockFile&& other) noexcept = default;
  LockFile& operator=(LockFile&& other) = delete;
  ~LockFile();  // removes the file where nothing is written in it

  // What an earlier holder wrote, and did not take back.
  const std::string& content() const { return content_; }
  // Replaces the content; on the disk when this returns. Empty takes it back: the file goes when the lock does.
  Status write(std::string_view content);

 private:
  LockFile() = default;
  std::filesystem::path path_;
  Descriptor file_;
  std::string content_;
};

}  // namespace tqm
