// Whatever the bytes: a model or a refusal.
#include "matter/potential/nep/nep_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto model = tqm::matter::nep::parse_nep({reinterpret_cast<const char*>(data), size}, "fuzz", {});
  (void)model.ok();
  return 0;
}
