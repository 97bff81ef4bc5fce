#include "base/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// Any bytes: parse_json gives a value or an Error, and what dump_json writes is read back as the same value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = tqm::parse_json(text, "fuzz");
  if (!json) return 0;
  const std::string written = tqm::dump_json(*json);
  const auto again = tqm::parse_json(written, "fuzz");
  ASSERT(again && tqm::dump_json(*again) == written);
  return 0;
}
