// The device half of a unit, as Clang prints it in LLVM's text form for x86-64, made into what the emulator's library
// reads: a thunk and a row for each kernel, a row for each shared variable, a zone behind each of those that belongs to
// none, one name for all of `extern __shared__`, and our own malloc and assert.
//
// Why text: a thunk must load arguments as the C++ parameters lie in memory and pass them as the ABI wants them, and
// the text has both, the second in the definition and the first in its debug information. No template has to spell the
// kernel's type, which may be local or unnamed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm::port::cuda {

struct DeviceUnit {
  std::string text;         // the module to compile
  std::size_t kernels = 0;  // that it defines
};

// `tag`: letters and digits that no other unit of the program has. `checked`: compiled with -fsanitize=thread.
Result<DeviceUnit> prepare_device_ir(std::string_view text, const std::string& tag, bool checked);

}  // namespace tqm::port::cuda
