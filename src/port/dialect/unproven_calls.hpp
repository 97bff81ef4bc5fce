// The calls that nothing but their documentation vouches for: no hand-written kernel that ran on a card has been seen
// to agree with the meaning that the emulator gives them. docs/unproven-calls.md lists them; a translation that rests
// on one says that it assumes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tqm::port::dialect {

// Conversions of scalars are compiled into the kernel and not counted.
bool is_unproven(std::string_view call);

// Those that the function of this name makes, and the device functions of the text that it calls; in order, each once.
std::vector<std::string> unproven_calls(std::string_view text, const std::string& function);

}  // namespace tqm::port::dialect
