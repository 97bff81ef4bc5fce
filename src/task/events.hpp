// The reader's side of the events file: whole lines only, unknown fields ignored, torn lines passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace tqm::task {

inline constexpr int64_t kEventVersion = 1;
inline constexpr size_t kLongestEventLine = 65536;

struct Event {
  int64_t seq = 0, attempt = 0;
  std::string time;  // RFC 3339, UTC; seq orders, time does not
  std::string kind;  // progress, metric, checkpoint, warning, artifact, or one not known yet
  Json fields;       // the whole object
};

// None where the line is torn, or of a version that we don't know.
std::optional<Event> parse_event(std::string_view line);

// Follows a file that is being written. A line that has no end yet waits for the next poll.
class EventReader {
 public:
  explicit EventReader(std::filesystem::path path) : path_(std::move(path)) {}
  Result<std::vector<Event>> poll();  // new events since the last poll; a missing file is no event yet
  int64_t torn_lines() const { return torn_lines_; }

 private:
  std::filesystem::path path_;
  uint64_t offset_ = 0;
  std::string rest_;
  bool over_long_ = false;
  int64_t torn_lines_ = 0;
};

}  // namespace tqm::task
