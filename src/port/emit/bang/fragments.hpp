// wmma's matrices on the chip: the functions that the emitted file gets, and the room that they need in a kernel.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace tqm::port::emit {

constexpr std::int64_t kFragmentSpace = 22528;   // bytes of NRAM, for one product
constexpr std::int64_t kFragmentWork = 256;      // elements that a copy of one handles
constexpr std::int64_t kFragmentProduct = 4096;  // multiplications of one product

bool is_fragment_helper(const std::string& name);
// The text of those named, in an order that compiles.
std::string fragment_text(const std::set<std::string>& names);

}  // namespace tqm::port::emit
