// Is a .mlu text BANG C that an MLU370 can run? What a compiler for the chip would refuse or silently make slow or
// wrong, looked for in the text alone, in milliseconds and without a compiler: double, recursion, standard containers,
// new and delete, exceptions, function pointers' calls are the host's; calls that the chip does not have.
//
// Only what a kernel can reach counts: functions marked __mlu_entry__, __mlu_global__, __mlu_func__ or __mlu_device__.
// Host code in the same file may be anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tqm::port::dialect {

struct Finding {
  std::string kind;  // double, recursion, container, allocation, exception, call
  std::string text;
  int line = 0;
};

std::vector<Finding> check_dialect(std::string_view text);

}  // namespace tqm::port::dialect
