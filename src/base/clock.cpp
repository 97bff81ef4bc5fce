#include "base/clock.hpp"

#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace tqm {
namespace {

int64_t read_clock(clockid_t id) {
  timespec time{};
  ::clock_gettime(id, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class SystemClock : public Clock {
 public:
  int64_t monotonic_ns() const override { return read_clock(CLOCK_MONOTONIC); }
  int64_t wall_ns() const override { return read_clock(CLOCK_REALTIME); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

void ManualClock::advance_seconds(double seconds) {
  const int64_t ns = std::llround(seconds * 1e9);
  monotonic_ns_ += ns;
  wall_ns_ += ns;
}

std::string utc_text(int64_t wall_ns) {
  int64_t milliseconds = wall_ns / 1'000'000;
  if (wall_ns % 1'000'000 < 0) --milliseconds;
  int64_t rest = milliseconds % 1000;
  if (rest < 0) rest += 1000;
  const time_t seconds = (milliseconds - rest) / 1000;
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, rest);
}

}  // namespace tqm
