#include "base/log.hpp"

#include <cstdlib>
#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <string>

namespace tqm {
namespace {

spdlog::level::level_enum of(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::debug:
      return spdlog::level::debug;
  }
  return spdlog::level::warn;
}

spdlog::logger& logger() {
  static spdlog::logger* const instance = [] {  // never destroyed: other threads may log until the very end
    auto* made = new spdlog::logger("torquetum", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l: %v", spdlog::pattern_time_type::utc);
    made->set_level(spdlog::level::warn);
    const char* asked = std::getenv("TORQUETUM_LOG");
    if (asked && *asked) made->set_level(spdlog::level::from_str(asked));
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *instance;
}

}  // namespace

void set_log_level(LogLevel level) {
  logger().set_level(of(level));
}
bool log_wants(LogLevel level) {
  return logger().should_log(of(level));
}
void log_line(LogLevel level, std::string_view text) {
  logger().log(of(level), text);
}

}  // namespace tqm
