// Fields of the documents of this folder, each with the place of what is wrong with it.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.hpp"
#include "base/result.hpp"

namespace tqm::port {

inline constexpr std::size_t kMostDocumentBytes = std::size_t{64} << 20;

Error bad_case(const std::string& where, const std::string& what);

Result<std::string> string_field(const Json& json, const char* key, const std::string& where);
Result<bool> bool_field(const Json& json, const char* key, const std::string& where);
Result<Json> array_field(const Json& json, const char* key, const std::string& where);
Result<std::size_t> number_field(const Json& json, const char* key, const std::string& where, std::size_t most);
Result<std::size_t> number_value(const Json& value, const std::string& where, std::size_t most);

}  // namespace tqm::port
