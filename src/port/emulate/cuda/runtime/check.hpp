// The check of each access of a kernel that was compiled with -fsanitize=thread: the hooks of that instrumentation are
// ours. Found: bytes that belong to no variable or allocation, memory of the host, misalignment, bytes that nobody
// wrote, and pairs of accesses that nothing orders.
#pragma once

#include <cstdint>

namespace tqm::port::cuda {

enum class Access { read, write, atomic };

// `bytes` from `address` by the running thread; `site`: the place in device code.
void check_access(std::uintptr_t address, std::size_t bytes, Access access, std::uintptr_t site, unsigned alignment);
// Before a volatile access of shared memory: the lanes of a warp go on in step there, as code written for cards before
// Volta takes it. (What nothing orders is found all the same.)
void step_of_warp(std::uintptr_t address);
void end_of_launch_checks();
void note_fence();

}  // namespace tqm::port::cuda
