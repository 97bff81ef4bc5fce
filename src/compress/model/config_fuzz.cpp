// Any bytes as config.json: refused, or a configuration whose tensors can be named and that says the same when written
// again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compress/model/architecture.hpp"
#include "compress/model/compressed_tensors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tqm::compress;
  const auto json = tqm::parse_json({reinterpret_cast<const char*>(data), size}, "input");
  if (!json) return 0;
  if (json->is_object() && json->contains("quantization_config"))
    static_cast<void>(schemes_from_json((*json)["quantization_config"], "input").ok());
  const auto config = config_from_huggingface(*json, "input");
  if (!config || config->layers > 64) return 0;
  const auto again = config_from_huggingface(config_to_huggingface(*config), "written");
  ASSERT(again.ok());
  ASSERT(expected_tensors(*again).size() == expected_tensors(*config).size());
  return 0;
}
