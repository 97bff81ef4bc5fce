// How fast work goes and how long it will still take, as a plain function of what was seen and when.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace tqm {

// One stage of work. Time is passed in (a monotonic clock's nanoseconds); going back in done starts the count anew.
class RateMeter {
 public:
  // The rate is taken over the last `window_seconds`, or since the start while that is shorter.
  explicit RateMeter(double window_seconds = 30) : window_seconds_(window_seconds) {}
  void update(int64_t now_ns, int64_t done);
  std::optional<double> per_second() const;                 // none until there were two moments with progress between
  std::optional<double> seconds_left(int64_t total) const;  // none where the rate or the total is not known

 private:
  struct Seen {
    int64_t at_ns, done;
  };
  double window_seconds_;
  std::deque<Seen> seen_;
};

struct ProgressView {
  std::string_view stage;
  int64_t done = 0, total = 0;  // total 0: not known
  std::string_view unit;
  std::optional<double> per_second, seconds_left;
};

// "quantise  [=======>      ] 12/30 layers  1.4/s  13 s left", at most `columns` wide.
std::string progress_bar(const ProgressView& view, size_t columns);
// "quantise: 12 of 30 layers, 13 s left": for a log.
std::string progress_line(const ProgressView& view);

}  // namespace tqm
