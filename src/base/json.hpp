// JSON, in the order it was written; parsing ends in a Result that names the place.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm {

using Json = nlohmann::ordered_json;

// where: the file or field to name in the message. Refuses invalid JSON, duplicate NaN literals and the like.
Result<Json> parse_json(std::string_view text, const std::string& where);
Result<Json> read_json(const std::filesystem::path& path);
// Invalid UTF-8 in strings becomes U+FFFD; indent < 0 is one line.
std::string dump_json(const Json& json, int indent = 2);

}  // namespace tqm
