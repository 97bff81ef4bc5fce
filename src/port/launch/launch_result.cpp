#include <fmt/format.h>
#include <limits>

#include "base/file.hpp"
#include "base/scratch_file.hpp"
#include "port/launch/json_fields.hpp"
#include "port/launch/launch_case.hpp"

namespace tqm::port {
namespace {

constexpr std::size_t kOutcomes = 3;

Result<Branch> branch_in(const Json& json, const std::string& at) {
  constexpr std::size_t kMostNumber = std::numeric_limits<int>::max();
  Branch branch;
  branch.id = TRY(number_field(json, "id", at, kMostNumber));
  branch.file = TRY(string_field(json, "file", at));
  branch.line = static_cast<int>(TRY(number_field(json, "line", at, kMostNumber)));
  branch.column = static_cast<int>(TRY(number_field(json, "column", at, kMostNumber)));
  branch.label = TRY(bool_field(json, "label", at));
  const Json leads = TRY(array_field(json, "leads", at)), seen = TRY(array_field(json, "seen", at));
  if (leads.size() != 2 || seen.size() != 2) return bad_case(at, "a condition has two outcomes");
  for (std::size_t i = 0; i < 2; ++i) {
    branch.leads[i] = static_cast<Outcome>(TRY(number_value(leads[i], at + ".leads", kOutcomes - 1)));
    branch.seen[i] = TRY(number_value(seen[i], at + ".seen", 1)) != 0;
  }
  return branch;
}

Json json_of(const Branch& branch) {
  return {{"id", branch.id},
          {"file", branch.file},
          {"line", branch.line},
          {"column", branch.column},
          {"label", branch.label},
          {"leads", {static_cast<int>(branch.leads[0]), static_cast<int>(branch.leads[1])}},
          {"seen", {branch.seen[0] ? 1 : 0, branch.seen[1] ? 1 : 0}}};
}

}  // namespace

Result<LaunchResult> parse_result(const std::string& text, const std::string& where) {
  const Json json = TRY(parse_json(text, where));
  LaunchResult result;
  result.ran = TRY(bool_field(json, "ran", where));
  const Json faults = TRY(array_field(json, "faults", where));
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const std::string at = fmt::format("{}.faults[{}]", where, i);
    Fault fault;
    fault.kind = TRY(string_field(faults[i], "kind", at));
    fault.text = TRY(string_field(faults[i], "text", at));
    fault.file = TRY(string_field(faults[i], "file", at));
    const std::size_t line = TRY(number_field(faults[i], "line", at, std::numeric_limits<int>::max()));
    fault.line = static_cast<int>(line);
    result.faults.push_back(std::move(fault));
  }
  if (!json.contains("counters") || !json.at("counters").is_object())
    return bad_case(where + ".counters", "not an object");
  for (const auto& [name, value] : json.at("counters").items())
    result.counters[name] =
        TRY(number_value(value, where + ".counters." + name, std::numeric_limits<std::size_t>::max()));
  if (!json.contains("branches")) return result;
  const Json branches = TRY(array_field(json, "branches", where));
  for (std::size_t i = 0; i < branches.size(); ++i)
    result.branches.push_back(TRY(branch_in(branches[i], fmt::format("{}.branches[{}]", where, i))));
  return result;
}

std::string result_text(const LaunchResult& result) {
  Json faults = Json::array();
  for (const Fault& fault : result.faults)
    faults.push_back(Json{{"kind", fault.kind}, {"text", fault.text}, {"file", fault.file}, {"line", fault.line}});
  Json counters = Json::object();
  for (const auto& [name, value] : result.counters) counters[name] = value;
  Json json{{"ran", result.ran}, {"faults", faults}, {"counters", counters}};
  for (const Branch& branch : result.branches) json["branches"].push_back(json_of(branch));
  return dump_json(json) + "\n";
}

Result<LaunchResult> read_result(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "result.json";
  return parse_result(TRY(read_file(path, kMostDocumentBytes)), path.string());
}

Result<void> write_result(const LaunchResult& result, const std::filesystem::path& folder) {
  return write_scratch_file(folder / "result.json", result_text(result));
}

}  // namespace tqm::port
