#include "task/environment.hpp"

#include <charconv>
#include <cmath>
#include <string>

#include "base/process.hpp"

namespace tqm::task {
namespace {

template <class Number>
Result<Number> number_variable(const char* name, Number otherwise, Number least, Number most) {
  const auto text = environment_variable(name);
  if (!text) return otherwise;
  Number value{};
  const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (code != std::errc() || end != text->data() + text->size() || !(value >= least && value <= most))
    return Error{ErrorKind::bad_input, "\"" + *text + "\" is no number that this variable may have", name,
                 "unset it, or see docs/task-contract.md"};
  return value;
}

std::filesystem::path path_variable(const char* name) {
  return environment_variable(name).value_or("");
}

}  // namespace

Result<TaskEnvironment> task_environment() {
  TaskEnvironment environment;
  environment.events = path_variable("TORQUETUM_EVENTS");
  environment.checkpoint = path_variable("TORQUETUM_CHECKPOINT");
  environment.report = path_variable("TORQUETUM_REPORT");
  environment.attempt = TRY(number_variable<int64_t>("TORQUETUM_ATTEMPT", 1, 1, int64_t{1} << 53));
  environment.stop_seconds = TRY(number_variable<double>("TORQUETUM_STOP_SECONDS", 10, 0, 86400));
  return environment;
}

ReportPlace report_place(const TaskEnvironment& environment, const std::filesystem::path& asked,
                         const std::filesystem::path& fallback) {
  ReportPlace place;
  place.folder = !asked.empty() ? asked : !environment.report.empty() ? environment.report : fallback;
  place.attempt = environment.attempt;
  return place;
}

}  // namespace tqm::task
