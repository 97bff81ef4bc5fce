// Time, passed in: deciding code takes a Clock and never asks the system, so that a test can stand still, jump or set
// back.
#pragma once

#include <cstdint>
#include <string>

namespace tqm {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t monotonic_ns() const = 0;  // only differences mean something; never goes back
  virtual int64_t wall_ns() const = 0;       // since 1970, UTC; may be set back at any moment
};

const Clock& system_clock();

// A clock that moves only when told to.
class ManualClock : public Clock {
 public:
  explicit ManualClock(int64_t start_wall_ns = 0) : wall_ns_(start_wall_ns) {}
  int64_t monotonic_ns() const override { return monotonic_ns_; }
  int64_t wall_ns() const override { return wall_ns_; }
  void advance_seconds(double seconds);
  void set_wall_ns(int64_t wall_ns) { wall_ns_ = wall_ns; }

 private:
  int64_t monotonic_ns_ = 0;
  int64_t wall_ns_;
};

inline double seconds_between(int64_t from_ns, int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) * 1e-9;
}

// "2026-03-01T09:30:05.250Z": RFC 3339, UTC, milliseconds.
std::string utc_text(int64_t wall_ns);

}  // namespace tqm
