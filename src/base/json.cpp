#include "base/json.hpp"

#include "base/file.hpp"

namespace tqm {

Result<Json> parse_json(std::string_view text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    std::string what = e.what();
    if (size_t at = what.find("] "); at != std::string::npos) what = what.substr(at + 2);
    return Error{ErrorKind::bad_input, "not valid JSON: " + what, where, "check that the file is whole"};
  }
}

Result<Json> read_json(const std::filesystem::path& path) {
  std::string text = TRY(read_file(path));
  return parse_json(text, path.string());
}

std::string dump_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tqm
