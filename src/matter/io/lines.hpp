// Lines of a text, one at a time, with their numbers: readers see at most one line of a file, however large it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace tqm::matter {

class Lines {
 public:
  static Result<Lines> open(const std::filesystem::path& path);
  // Of a text in memory; name stands for the file in messages.
  static Lines of(std::string text, std::string name);

  // The next line without its end (LF or CR LF), valid until the next call; none at the end. A line of more than 64 MiB
  // is refused.
  Result<std::optional<std::string_view>> next();
  // The same where a line must come: wanted says what, for the message ("the lattice vectors").
  Result<std::string_view> need(std::string_view wanted);
  // Gives the last line back: next() hands it out once more.
  void back();

  int64_t number() const { return number_; }  // of the line that was handed out last, from 1
  const std::string& name() const { return name_; }
  std::string where() const;  // "POSCAR:7"
  // bad_input at where().
  Error error(std::string what, std::string next = "mend the file, or say what form it has by --from") const;

 private:
  Result<bool> fill();  // more bytes into buffer_; false at the end
  Descriptor file_;     // closed: everything is in buffer_
  std::string name_, buffer_;
  size_t begin_ = 0, last_ = 0;  // of the next line, and of the line handed out last
  int64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace tqm::matter
