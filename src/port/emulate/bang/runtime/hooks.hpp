// The traffic of scalar code, as the compiler's hooks count it.
#pragma once

#include <cstdint>

namespace tqm::port::bang {

struct ScalarTraffic {
  std::uint64_t accesses = 0;
  std::uint64_t nram = 0, sram = 0, gdram = 0;  // bytes
};

ScalarTraffic& scalar_traffic();

}  // namespace tqm::port::bang
