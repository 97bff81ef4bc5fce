// The log: what a person who looks for a fault wants to read, on stderr, one line each. Not for progress, not for
// results. TORQUETUM_LOG (error, warning, info, debug) sets how much; warning without it.
#pragma once

#include <fmt/format.h>
#include <string_view>

namespace tqm {

enum class LogLevel { error, warning, info, debug };

void set_log_level(LogLevel level);
bool log_wants(LogLevel level);
void log_line(LogLevel level, std::string_view text);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_wants(level)) log_line(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tqm
