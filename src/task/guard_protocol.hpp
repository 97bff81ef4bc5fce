// What torquetum-guard says over its control socket: fixed records, one a packet, between two programs of the same
// build.
#pragma once

#include <cstdint>

namespace tqm::task {

struct GuardRecord {
  enum Kind : int32_t { started = 1, failed = 2, ended = 3 };
  enum Step : int32_t { command = 0, work_folder, standard_input, standard_output, standard_error, limits, user };
  Kind kind = failed;
  Step step = command;
  int32_t error_number = 0;
  int32_t pid = 0;
  int32_t status = 0;  // as wait gives it
  uint64_t peak_rss_bytes = 0;
  double user_seconds = 0, system_seconds = 0, wall_seconds = 0;
};

}  // namespace tqm::task
