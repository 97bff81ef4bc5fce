#include "port/emulate/bang/runtime/symbols.hpp"

#include <cstdint>
#include <link.h>
#include <vector>

namespace tqm::port::bang {

namespace {

struct Segment {
  std::uintptr_t begin, end;
};

std::vector<Segment> loaded_segments() {
  std::vector<Segment> segments;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type == PT_LOAD) {
            const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
            static_cast<std::vector<Segment>*>(out)->push_back({begin, begin + header.p_memsz});
          }
        }
        return 0;
      },
      &segments);
  return segments;
}

}  // namespace

bool in_loaded_data(const void* address) {
  static const std::vector<Segment> segments = loaded_segments();
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  for (const Segment& segment : segments) {
    if (value >= segment.begin && value < segment.end) {
      return true;
    }
  }
  return false;
}

}  // namespace tqm::port::bang
