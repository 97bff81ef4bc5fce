#include "task/events.hpp"

#include <cerrno>
#include <fcntl.h>
#include <optional>

#include "base/descriptor.hpp"
#include "base/file.hpp"

namespace tqm::task {

std::optional<Event> parse_event(std::string_view line) {
  Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  auto integer = [&](const char* key) -> std::optional<int64_t> {
    const auto field = object.find(key);
    if (field == object.end() || !field->is_number_integer()) return std::nullopt;
    return field->get<int64_t>();
  };
  auto text = [&](const char* key) -> std::string {
    const auto field = object.find(key);
    return field != object.end() && field->is_string() ? field->get<std::string>() : std::string();
  };
  const auto version = integer("v"), seq = integer("seq"), attempt = integer("attempt");
  Event event;
  event.kind = text("kind");
  if (!version || *version < 1 || *version > kEventVersion || !seq || !attempt || event.kind.empty())
    return std::nullopt;
  event.seq = *seq;
  event.attempt = *attempt;
  event.time = text("time");
  event.fields = std::move(object);
  return event;
}

Result<std::vector<Event>> EventReader::poll() {
  std::vector<Event> events;
  Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    if (errno == ENOENT) return events;
    return system_error("can't open the events file", path_, errno);
  }
  char piece[65536];
  while (true) {
    const ssize_t n = ::pread(file.get(), piece, sizeof piece, static_cast<off_t>(offset_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("can't read the events file", path_, errno);
    if (n == 0) return events;
    offset_ += static_cast<uint64_t>(n);
    std::string_view fresh(piece, static_cast<size_t>(n));
    for (size_t end = fresh.find('\n'); end != std::string_view::npos; end = fresh.find('\n')) {
      const size_t length = rest_.size() + end;
      if (length > kLongestEventLine) over_long_ = true;
      if (!over_long_) rest_ += fresh.substr(0, end);
      if (over_long_ || !rest_.empty()) {
        auto event = over_long_ ? std::nullopt : parse_event(rest_);
        if (event)
          events.push_back(std::move(*event));
        else
          ++torn_lines_;
      }
      rest_.clear();
      over_long_ = false;
      fresh.remove_prefix(end + 1);
    }
    if (rest_.size() + fresh.size() > kLongestEventLine) {
      over_long_ = true;
      rest_.clear();
    }
    if (!over_long_) rest_ += fresh;
  }
}

}  // namespace tqm::task
