// Whatever the bytes: a checkpoint or a refusal.
#include "matter/potential/checkpoint/checkpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto checkpoint = tqm::matter::parse_checkpoint({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
  (void)checkpoint.ok();
  return 0;
}
