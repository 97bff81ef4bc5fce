#include "base/progress.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"

namespace tqm {
namespace {

constexpr int64_t kStepNs = 100'000'000;  // moments closer together than this are one

std::string left_text(const ProgressView& view) {
  if (!view.seconds_left) return "";
  return duration_text(*view.seconds_left) + " left";
}

}  // namespace

void RateMeter::update(int64_t now_ns, int64_t done) {
  if (!seen_.empty() && (done < seen_.back().done || now_ns < seen_.back().at_ns)) seen_.clear();
  if (seen_.size() >= 2 && seen_.back().at_ns - seen_[seen_.size() - 2].at_ns < kStepNs)
    seen_.back() = {now_ns, done};
  else
    seen_.push_back({now_ns, done});
  const int64_t window_ns = std::llround(window_seconds_ * 1e9);
  while (seen_.size() > 2 && now_ns - seen_[1].at_ns >= window_ns) seen_.pop_front();
}

std::optional<double> RateMeter::per_second() const {
  if (seen_.size() < 2) return std::nullopt;
  const int64_t time_ns = seen_.back().at_ns - seen_.front().at_ns;
  const int64_t done = seen_.back().done - seen_.front().done;
  if (time_ns <= 0 || done <= 0) return std::nullopt;
  return static_cast<double>(done) / (static_cast<double>(time_ns) * 1e-9);
}

std::optional<double> RateMeter::seconds_left(int64_t total) const {
  const auto rate = per_second();
  if (!rate || total <= 0) return std::nullopt;
  return static_cast<double>(std::max<int64_t>(0, total - seen_.back().done)) / *rate;
}

std::string progress_bar(const ProgressView& view, size_t columns) {
  std::string tail = view.total > 0 ? fmt::format("{}/{}", view.done, view.total) : fmt::format("{}", view.done);
  if (!view.unit.empty()) tail += fmt::format(" {}", view.unit);
  if (view.per_second) tail += fmt::format("  {:.3g}/s", *view.per_second);
  if (std::string left = left_text(view); !left.empty()) tail += "  " + left;
  std::string head(view.stage);
  const size_t around = display_width(head) + display_width(tail) + 4;
  if (view.total > 0 && around + 8 <= columns) {
    const size_t width = std::min<size_t>(30, columns - around);
    const double part = std::clamp(static_cast<double>(view.done) / static_cast<double>(view.total), 0.0, 1.0);
    const size_t filled = static_cast<size_t>(part * static_cast<double>(width));
    std::string bar(filled, '=');
    if (filled < width) bar += '>';
    bar.resize(width, ' ');
    head += " [" + bar + "]";
  }
  return shorten(head + " " + tail, columns);
}

std::string progress_line(const ProgressView& view) {
  std::string line = std::string(view.stage) + ": ";
  line += view.total > 0 ? fmt::format("{} of {}", view.done, view.total) : fmt::format("{}", view.done);
  if (!view.unit.empty()) line += fmt::format(" {}", view.unit);
  if (std::string left = left_text(view); !left.empty()) line += ", " + left;
  return line;
}

}  // namespace tqm
