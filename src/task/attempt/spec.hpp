// What torquetum-task is told about the one attempt of a job that it is to run: a JSON file, written once, before the
// shim starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "task/children.hpp"

namespace tqm::task {

// Who holds the attempt.
enum class LeaseKind {
  held_file,  // a file in the attempt's folder, locked for as long as the shim lives: shim and service on one machine
};

struct AttemptSpec {
  std::string job;
  int64_t attempt = 1;
  std::vector<std::string> command = {};           // program first; never through a shell
  std::map<std::string, std::string> environment;  // on top of the shim's own; no TORQUETUM_… of the contract
  std::filesystem::path folder = {};               // of this attempt alone: records, logs, checkpoint, report
  std::filesystem::path work_folder = {};          // where the command runs; made with mode 0700
  std::filesystem::path earlier_checkpoint = {};   // seeds this attempt's; empty: the work starts at the beginning
  LeaseKind lease = LeaseKind::held_file;
  int64_t paid_until_s = 0;          // of the attempt's own seconds, by when it must have ended; 0: no bound
  int64_t time_limit_s = 0;          // of the attempt's own seconds; 0: none
  uint64_t memory_bytes = 0;         // resident, of the whole tree; 0: no limit
  double grace_s = 10;               // between SIGTERM and SIGKILL
  std::optional<RunAs> run_as = {};  // none: the shim's own user
  bool operator==(const AttemptSpec&) const = default;
};

// Refuses unknown and missing fields, wrong types, values out of range, folders that are not absolute.
Result<AttemptSpec> parse_attempt_spec(const Json& json, const std::string& where);
Json attempt_spec_json(const AttemptSpec& spec);

}  // namespace tqm::task
