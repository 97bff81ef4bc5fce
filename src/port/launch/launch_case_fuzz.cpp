#include "port/launch/launch_case.hpp"

#include <cstdint>
#include <string>

// Any bytes: a case and a result are read or refused, and what is written of a read one is read back as the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto launch = tqm::port::parse_case(text, "fuzz")) {
    const std::string written = tqm::port::case_text(*launch);
    const auto again = tqm::port::parse_case(written, "fuzz");
    ASSERT(again && tqm::port::case_text(*again) == written);
  }
  if (const auto result = tqm::port::parse_result(text, "fuzz")) {
    const std::string written = tqm::port::result_text(*result);
    const auto again = tqm::port::parse_result(written, "fuzz");
    ASSERT(again && tqm::port::result_text(*again) == written);
  }
  return 0;
}
