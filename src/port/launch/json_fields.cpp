#include "port/launch/json_fields.hpp"

#include <fmt/format.h>

namespace tqm::port {
namespace {

Result<const Json*> field(const Json& json, const char* key, const std::string& where) {
  if (!json.is_object() || !json.contains(key)) return bad_case(where, fmt::format("the field {} is missing", key));
  return &json.at(key);
}

}  // namespace

Error bad_case(const std::string& where, const std::string& what) {
  return Error{ErrorKind::bad_input, what, where, "write it again with this version of torquetum port"};
}

Result<std::string> string_field(const Json& json, const char* key, const std::string& where) {
  const Json* value = TRY(field(json, key, where));
  if (!value->is_string()) return bad_case(where + "." + key, "not a text");
  return value->get<std::string>();
}

Result<bool> bool_field(const Json& json, const char* key, const std::string& where) {
  const Json* value = TRY(field(json, key, where));
  if (!value->is_boolean()) return bad_case(where + "." + key, "neither true nor false");
  return value->get<bool>();
}

Result<Json> array_field(const Json& json, const char* key, const std::string& where) {
  const Json* value = TRY(field(json, key, where));
  if (!value->is_array()) return bad_case(where + "." + key, "not a list");
  return *value;
}

Result<std::size_t> number_field(const Json& json, const char* key, const std::string& where, std::size_t most) {
  return number_value(*TRY(field(json, key, where)), where + "." + key, most);
}

Result<std::size_t> number_value(const Json& value, const std::string& where, std::size_t most) {
  if (!value.is_number_unsigned()) return bad_case(where, "not a whole number of zero or more");
  const auto number = value.get<std::uint64_t>();
  if (number > most) return bad_case(where, fmt::format("{} is more than {}", number, most));
  return static_cast<std::size_t>(number);
}

}  // namespace tqm::port
