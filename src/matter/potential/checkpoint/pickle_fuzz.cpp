// Whatever the instructions: values or a refusal.
#include "matter/potential/checkpoint/pickle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto pickle = tqm::matter::run_pickle({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
  (void)pickle.ok();
  return 0;
}
