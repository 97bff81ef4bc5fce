#include "matter/io/lines.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"

namespace tqm::matter {
namespace {

constexpr size_t kPiece = size_t{1} << 18;
constexpr size_t kLongestLine = size_t{64} << 20;

}  // namespace

Result<Lines> Lines::open(const std::filesystem::path& path) {
  Lines lines;
  lines.name_ = path.string();
  lines.file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!lines.file_) return system_error("can't open the file", path, errno);
  return lines;
}

Lines Lines::of(std::string text, std::string name) {
  Lines lines;
  lines.name_ = std::move(name);
  lines.buffer_ = std::move(text);
  lines.ended_ = true;
  return lines;
}

Result<bool> Lines::fill() {
  if (ended_) return false;
  if (last_ > 0) {
    buffer_.erase(0, last_);
    begin_ -= last_;
    last_ = 0;
  }
  const size_t held = buffer_.size();
  if (held > kLongestLine)
    return Error{ErrorKind::bad_input, "a line is longer than 64 MiB", fmt::format("{}:{}", name_, number_ + 1),
                 "is this a text file?"};
  buffer_.resize(held + kPiece);
  ssize_t got = 0;
  do got = ::read(file_.get(), buffer_.data() + held, kPiece);
  while (got < 0 && errno == EINTR);
  buffer_.resize(held + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) return system_error("can't read the file", name_, errno);
  if (got == 0) ended_ = true;
  return got > 0;
}

Result<std::optional<std::string_view>> Lines::next() {
  last_ = begin_;
  size_t searched = 0, end = std::string::npos;
  while ((end = buffer_.find('\n', begin_ + searched)) == std::string::npos) {
    searched = buffer_.size() - begin_;
    if (!TRY(fill())) break;
  }
  if (end == std::string::npos) {
    if (begin_ == buffer_.size()) return std::optional<std::string_view>();
    end = buffer_.size();
  }
  std::string_view line(buffer_.data() + begin_, end - begin_);
  begin_ = std::min(end + 1, buffer_.size());
  ++number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::optional(line);
}

Result<std::string_view> Lines::need(std::string_view wanted) {
  if (const auto line = TRY(next())) return *line;
  return Error{ErrorKind::bad_input, fmt::format("the file ends where {} should stand", wanted),
               fmt::format("{}:{}", name_, number_), "is it whole? A run that was cut off leaves a torn last frame"};
}

void Lines::back() {
  ASSERT(last_ < begin_);
  begin_ = last_;
  --number_;
}

std::string Lines::where() const {
  return fmt::format("{}:{}", name_, number_);
}

Error Lines::error(std::string what, std::string next) const {
  return {ErrorKind::bad_input, std::move(what), where(), std::move(next)};
}

}  // namespace tqm::matter
