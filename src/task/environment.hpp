// What a task is told by whoever starts it: the TORQUETUM_ variables of docs/task-contract.md, read once.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.hpp"

namespace tqm::task {

struct TaskEnvironment {
  std::filesystem::path events;  // TORQUETUM_EVENTS: JSON lines go there; empty: progress is shown on stderr
  std::filesystem::path
      checkpoint;                // TORQUETUM_CHECKPOINT: this attempt's own folder; empty: the tool's option decides
  std::filesystem::path report;  // TORQUETUM_REPORT: the folder of report.json; empty: the tool's option decides
  int64_t attempt = 1;           // TORQUETUM_ATTEMPT, from 1
  double stop_seconds = 10;      // TORQUETUM_STOP_SECONDS: grace between SIGTERM and SIGKILL
};

// From this process's environment; a value that is no number, or out of range, is bad_input naming the variable.
Result<TaskEnvironment> task_environment();

// Where a task's report.json goes, and the attempt number it must carry. The report's content is another folder's
// matter.
struct ReportPlace {
  std::filesystem::path folder;
  int64_t attempt = 1;
  std::filesystem::path json() const { return folder / "report.json"; }
};

// asked (a --report option) wins over TORQUETUM_REPORT, and that over fallback.
ReportPlace report_place(const TaskEnvironment& environment, const std::filesystem::path& asked,
                         const std::filesystem::path& fallback);

}  // namespace tqm::task
