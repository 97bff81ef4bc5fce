#include "task/attempt/spec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/text.hpp"

namespace tqm::task {
namespace {

constexpr int64_t kFormVersion = 1;
constexpr double kMostGraceSeconds = 86'400;
constexpr std::string_view kHeldFile = "held-file";
const std::vector<std::string> kFields = {"v",           "job",          "attempt",      "command",
                                          "environment", "folder",       "work_folder",  "earlier_checkpoint",
                                          "lease",       "paid_until_s", "time_limit_s", "memory_bytes",
                                          "grace_s",     "run_as"};

struct Reader {
  const Json& json;
  const std::string& where;

  Error wrong(const std::string& field, const std::string& what) const {
    return Error{ErrorKind::bad_input, "\"" + field + "\" " + what, where, "see docs/task-contract.md, \"The shim\""};
  }

  Result<std::string> text(const char* field, bool needed) const {
    const auto found = json.find(field);
    if (found == json.end() && !needed) return std::string();
    if (found == json.end()) return wrong(field, "is missing");
    if (!found->is_string()) return wrong(field, "is no text");
    auto value = found->get<std::string>();
    if (needed && value.empty()) return wrong(field, "is empty");
    if (value.find('\0') != std::string::npos) return wrong(field, "holds a NUL");
    return value;
  }

  Result<std::filesystem::path> folder(const char* field, bool needed) const {
    const std::filesystem::path path = TRY(text(field, needed));
    if (!path.empty() && !path.is_absolute()) return wrong(field, "is no absolute path");
    return path;
  }

  Result<int64_t> count(const char* field, int64_t otherwise, int64_t least, int64_t most) const {
    const auto found = json.find(field);
    if (found == json.end()) return otherwise;
    if (!found->is_number_integer() || (found->is_number_unsigned() && found->get<uint64_t>() > INT64_MAX) ||
        *found < least || *found > most)
      return wrong(field, "is no whole number of " + std::to_string(least) + " to " + std::to_string(most));
    return found->get<int64_t>();
  }
};

}  // namespace

Result<AttemptSpec> parse_attempt_spec(const Json& json, const std::string& where) {
  if (!json.is_object()) return Error{ErrorKind::bad_input, "an attempt is an object", where, ""};
  const Reader reader{json, where};
  for (const auto& item : json.items())
    if (std::find(kFields.begin(), kFields.end(), item.key()) == kFields.end())
      return reader.wrong(item.key(), "is not known: " + did_you_mean(item.key(), kFields));
  if (TRY(reader.count("v", 0, 0, INT64_MAX)) != kFormVersion) return reader.wrong("v", "is not 1");
  AttemptSpec spec;
  spec.job = TRY(reader.text("job", true));
  spec.attempt = TRY(reader.count("attempt", 0, 1, INT32_MAX));
  if (spec.attempt == 0) return reader.wrong("attempt", "is missing");
  const auto command = json.find("command");
  if (command == json.end() || !command->is_array() || command->empty())
    return reader.wrong("command", "is no list of texts, program first");
  for (const Json& word : *command) {
    if (!word.is_string() || word.get_ref<const std::string&>().find('\0') != std::string::npos)
      return reader.wrong("command", "is no list of texts, program first");
    spec.command.push_back(word);
  }
  if (spec.command[0].empty()) return reader.wrong("command", "names no program");
  if (const auto environment = json.find("environment"); environment != json.end()) {
    if (!environment->is_object()) return reader.wrong("environment", "is no object of texts");
    for (const auto& [name, value] : environment->items()) {
      const bool plain = !name.empty() && name.find('=') == std::string::npos && name.find('\0') == std::string::npos;
      if (!plain || !value.is_string() || value.get_ref<const std::string&>().find('\0') != std::string::npos)
        return reader.wrong("environment", "is no object of texts");
      if (std::find(kTaskVariables.begin(), kTaskVariables.end(), name) != kTaskVariables.end())
        return reader.wrong("environment", "sets " + name + ", which is the shim's");
      spec.environment[name] = value;
    }
  }
  spec.folder = TRY(reader.folder("folder", true));
  spec.work_folder = TRY(reader.folder("work_folder", true));
  spec.earlier_checkpoint = TRY(reader.folder("earlier_checkpoint", false));
  if (TRY(reader.text("lease", true)) != kHeldFile) return reader.wrong("lease", "is not held-file");
  spec.paid_until_s = TRY(reader.count("paid_until_s", 0, 0, INT64_MAX));
  spec.time_limit_s = TRY(reader.count("time_limit_s", 0, 0, INT64_MAX));
  spec.memory_bytes = static_cast<uint64_t>(TRY(reader.count("memory_bytes", 0, 0, INT64_MAX)));
  if (const auto grace = json.find("grace_s"); grace != json.end()) {
    if (!grace->is_number() || !(*grace >= 0) || !(*grace <= kMostGraceSeconds))
      return reader.wrong("grace_s", "is no number of seconds, 0 to 86400");
    spec.grace_s = *grace;
  }
  if (const auto user = json.find("run_as"); user != json.end()) {
    if (!user->is_object()) return reader.wrong("run_as", "is no object with uid and gid");
    const Reader inner{*user, where};
    const int64_t uid = TRY(inner.count("uid", 0, 1, INT32_MAX));
    const int64_t gid = TRY(inner.count("gid", 0, 1, INT32_MAX));
    if (uid == 0 || gid == 0) return reader.wrong("run_as", "needs a uid and a gid that are not root's");
    spec.run_as = RunAs{static_cast<uint32_t>(uid), static_cast<uint32_t>(gid)};
  }
  return spec;
}

Json attempt_spec_json(const AttemptSpec& spec) {
  Json json{{"v", kFormVersion},
            {"job", spec.job},
            {"attempt", spec.attempt},
            {"command", spec.command},
            {"environment", spec.environment},
            {"folder", spec.folder.string()},
            {"work_folder", spec.work_folder.string()},
            {"earlier_checkpoint", spec.earlier_checkpoint.string()},
            {"lease", kHeldFile},
            {"paid_until_s", spec.paid_until_s},
            {"time_limit_s", spec.time_limit_s},
            {"memory_bytes", spec.memory_bytes},
            {"grace_s", spec.grace_s}};
  if (spec.run_as) json["run_as"] = Json{{"uid", spec.run_as->uid}, {"gid", spec.run_as->gid}};
  return json;
}

}  // namespace tqm::task
