// A stack of its own and the place to go on at. A switch saves the six registers that the x86-64 ABI keeps over a call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tqm::port::cuda {

inline constexpr std::size_t kStackBytes = std::size_t{256} << 10;

struct Fiber {
  void* stack_pointer = nullptr;
  unsigned char* stack = nullptr;  // lowest usable byte; the page below it can't be touched
};

// Saves the running one into *from and goes on at `to`.
extern "C" void tqm_cuda_switch(void** from, void* to);

// Takes a stack and prepares it so that the first switch calls entry(), which never returns.
void prepare(Fiber& fiber, void (*entry)());
void give_back(Fiber& fiber);  // its stack goes to the next
bool is_guard(std::uintptr_t address);

}  // namespace tqm::port::cuda
