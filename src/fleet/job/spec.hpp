// What a user asks for: one job, as TOML or JSON. Everything is checked here, before any money is held.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace tqm::fleet {

struct JobSpec {
  std::string name;
  std::string project;               // empty: the organisation's own
  std::vector<std::string> command;  // program first; never through a shell
  std::string node_type;
  int64_t nodes = 1;
  std::map<std::string, std::string> environment;
  std::vector<std::string> inputs;   // artifacts that are put into the work folder
  std::vector<std::string> outputs;  // files and folders of the work folder that are kept
  int64_t time_limit_s = 86'400;     // of running, over all attempts
  int64_t retries = 3;               // attempts after the first, where one was lost or broke off
  bool operator==(const JobSpec&) const = default;
};

constexpr int64_t kMostTimeLimitS = 366 * 86'400;

// Refuses unknown keys (with the nearest name), wrong types, values out of range, paths that leave the work folder,
// variables that are the service's own (TORQUETUM_…, PATH is free).
Result<JobSpec> parse_spec_json(const Json& json, const std::string& where);
Result<JobSpec> parse_spec_toml(std::string_view text, const std::string& where);
Json spec_json(const JobSpec& spec);

// Relative, no '..', no empty part, no NUL, at most 1,000 bytes.
bool is_inside_path(std::string_view path);

}  // namespace tqm::fleet
