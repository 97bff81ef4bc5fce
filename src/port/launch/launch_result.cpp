#include <fmt/format.h>
#include <limits>

#include "base/file.hpp"
#include "base/scratch_file.hpp"
#include "port/launch/json_fields.hpp"
#include "port/launch/launch_case.hpp"

namespace tqm::port {

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
  return result;
}

std::string result_text(const LaunchResult& result) {
  Json faults = Json::array();
  for (const Fault& fault : result.faults)
    faults.push_back(Json{{"kind", fault.kind}, {"text", fault.text}, {"file", fault.file}, {"line", fault.line}});
  Json counters = Json::object();
  for (const auto& [name, value] : result.counters) counters[name] = value;
  return dump_json(Json{{"ran", result.ran}, {"faults", faults}, {"counters", counters}}) + "\n";
}

Result<LaunchResult> read_result(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "result.json";
  return parse_result(TRY(read_file(path, kMostDocumentBytes)), path.string());
}

Result<void> write_result(const LaunchResult& result, const std::filesystem::path& folder) {
  return write_scratch_file(folder / "result.json", result_text(result));
}

}  // namespace tqm::port
