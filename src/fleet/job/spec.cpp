#include "fleet/job/spec.hpp"

#include <algorithm>
#include <sstream>
#include <toml++/toml.h>

#include "base/text.hpp"
#include "fleet/ledger/transaction.hpp"

namespace tqm::fleet {
namespace {

const std::vector<std::string> kKeys = {"name",        "project", "command", "node_type",    "nodes",
                                        "environment", "inputs",  "outputs", "time_limit_s", "retries"};

class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  Error error(const std::string& key, std::string what, std::string next = "") const {
    return Error{ErrorKind::bad_input, "'" + key + "' " + std::move(what), where_, std::move(next)};
  }

  Result<std::string> text(const std::string& key, bool needed) const {
    if (!json_.contains(key)) {
      if (needed) return error(key, "is missing", "add it");
      return std::string();
    }
    if (!json_[key].is_string()) return error(key, "must be a text");
    const std::string value = json_[key].get<std::string>();
    if (value.empty() || value.size() > 200 || !is_utf8(value) || value.find('\0') != std::string::npos)
      return error(key, "must be a text of 1 to 200 bytes");
    return value;
  }

  Result<int64_t> number(const std::string& key, int64_t otherwise, int64_t least, int64_t most) const {
    if (!json_.contains(key)) return otherwise;
    const Json& value = json_[key];
    const bool fits = value.is_number_integer() && !(value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX);
    if (!fits || value.get<int64_t>() < least || value.get<int64_t>() > most)
      return error(key, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return value.get<int64_t>();
  }

  Result<std::vector<std::string>> texts(const std::string& key, size_t most) const {
    std::vector<std::string> result;
    if (!json_.contains(key)) return result;
    if (!json_[key].is_array() || json_[key].size() > most)
      return error(key, "must be a list of at most " + std::to_string(most) + " texts");
    for (const Json& item : json_[key]) {
      if (!item.is_string() || item.get_ref<const std::string&>().find('\0') != std::string::npos ||
          item.get_ref<const std::string&>().size() > 100'000)
        return error(key, "must be a list of texts without a NUL byte");
      result.push_back(item.get<std::string>());
    }
    return result;
  }

  Result<std::vector<std::string>> paths(const std::string& key) const {
    std::vector<std::string> result = TRY(texts(key, 1000));
    for (const std::string& path : result)
      if (!is_inside_path(path))
        return error(key, "leaves the work folder: '" + path + "'", "give paths inside it, without '..'");
    return result;
  }

  Result<std::map<std::string, std::string>> environment() const {
    std::map<std::string, std::string> result;
    if (!json_.contains("environment")) return result;
    const Json& table = json_["environment"];
    if (!table.is_object() || table.size() > 1000) return error("environment", "must be a table of at most 1000 texts");
    for (const auto& [key, value] : table.items()) {
      const bool name_fits =
          !key.empty() && key.size() <= 200 && !(key[0] >= '0' && key[0] <= '9') &&
          std::all_of(key.begin(), key.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
          });
      if (!name_fits) return error("environment", "has a variable that is no name: '" + key + "'");
      if (key.starts_with("TORQUETUM_"))
        return error("environment", "may not set " + key, "these are the service's own");
      if (!value.is_string() || value.get_ref<const std::string&>().find('\0') != std::string::npos)
        return error("environment", "must be a table of texts without a NUL byte");
      result[key] = value.get<std::string>();
    }
    return result;
  }

 private:
  const Json& json_;
  std::string where_;
};

}  // namespace

bool is_inside_path(std::string_view path) {
  if (path.empty() || path.size() > 1000 || path.find('\0') != std::string_view::npos) return false;
  for (const std::string& part : split(path, '/'))
    if (part.empty() || part == "." || part == "..") return false;
  return true;
}

Result<JobSpec> parse_spec_json(const Json& json, const std::string& where) {
  if (!json.is_object())
    return Error{ErrorKind::bad_input, "a job is a table", where, "give at least command and node_type"};
  for (const auto& [key, value] : json.items()) {
    if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) continue;
    const std::string near = did_you_mean(key, kKeys);
    return Error{ErrorKind::bad_input, "unknown key '" + key + "'", where,
                 near.empty() ? "known are " + join(kKeys, ", ") : near};
  }
  const Reader reader(json, where);
  JobSpec spec;
  spec.name = TRY(reader.text("name", false));
  spec.project = TRY(reader.text("project", false));
  spec.node_type = TRY(reader.text("node_type", true));
  if (!is_id(spec.node_type)) return reader.error("node_type", "is no name of a node type");
  spec.command = TRY(reader.texts("command", 10'000));
  if (spec.command.empty() || spec.command.front().empty())
    return reader.error("command", "is missing", "write it as a list, the program first");
  spec.nodes = TRY(reader.number("nodes", 1, 1, 10'000));
  spec.environment = TRY(reader.environment());
  spec.inputs = TRY(reader.paths("inputs"));
  spec.outputs = TRY(reader.paths("outputs"));
  spec.time_limit_s = TRY(reader.number("time_limit_s", spec.time_limit_s, 1, kMostTimeLimitS));
  spec.retries = TRY(reader.number("retries", spec.retries, 0, 100));
  return spec;
}

Result<JobSpec> parse_spec_toml(std::string_view text, const std::string& where) {
  try {
    std::ostringstream json;
    json << toml::json_formatter(toml::parse(text, where));
    return parse_spec_json(TRY(parse_json(json.str(), where)), where);
  } catch (const toml::parse_error& e) {
    return Error{ErrorKind::bad_input, "not valid TOML: " + std::string(e.description()),
                 where + ":" + std::to_string(e.source().begin.line), "mend the line"};
  }
}

Json spec_json(const JobSpec& spec) {
  Json json = {{"command", spec.command}, {"node_type", spec.node_type}, {"nodes", spec.nodes}};
  if (!spec.name.empty()) json["name"] = spec.name;
  if (!spec.project.empty()) json["project"] = spec.project;
  if (!spec.environment.empty()) json["environment"] = spec.environment;
  if (!spec.inputs.empty()) json["inputs"] = spec.inputs;
  if (!spec.outputs.empty()) json["outputs"] = spec.outputs;
  json["time_limit_s"] = spec.time_limit_s;
  json["retries"] = spec.retries;
  return json;
}

}  // namespace tqm::fleet
