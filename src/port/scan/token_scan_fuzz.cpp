// Words of anything: never a crash, and every line is one of the text.
#include "port/scan/token_scan.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "port/scan/token_scan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto lines = std::count(source.begin(), source.end(), '\n') + 1;
  const tqm::port::TokenScan scan = tqm::port::scan_tokens(source);
  for (const auto& kernel : scan.kernels)
    if (kernel.line < 1 || kernel.end_line > lines) std::abort();
  return 0;
}
