#include "port/emulate/cuda/runtime/fiber.hpp"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <vector>

// Six saved registers and the return address lie on the stack of a fiber that does not run.
__asm__(R"(
.text
.globl tqm_cuda_switch
.hidden tqm_cuda_switch
.type tqm_cuda_switch,@function
tqm_cuda_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tqm_cuda_switch,.-tqm_cuda_switch
)");

namespace tqm::port::cuda {
namespace {

constexpr std::size_t kPage = 4096;

std::vector<unsigned char*>& free_stacks() {
  static auto* list = new std::vector<unsigned char*>;
  return *list;
}
std::vector<unsigned char*>& all_stacks() {
  static auto* list = new std::vector<unsigned char*>;
  return *list;
}

unsigned char* take_stack() {
  auto& list = free_stacks();
  if (!list.empty()) {
    unsigned char* stack = list.back();
    list.pop_back();
    return stack;
  }
  void* p = mmap(nullptr, kStackBytes + kPage, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p == MAP_FAILED || mprotect(p, kPage, PROT_NONE) != 0) {
    std::fprintf(stderr, "torquetum: no more stacks for threads that wait (%zu are in use): launch fewer at once\n",
                 all_stacks().size());
    std::_Exit(1);
  }
  auto* stack = static_cast<unsigned char*>(p) + kPage;
  all_stacks().push_back(stack);
  return stack;
}

}  // namespace

void prepare(Fiber& fiber, void (*entry)()) {
  fiber.stack = take_stack();
  // Stacks begin at different cache lines, or all tops would share the same few sets.
  const std::size_t colour = (reinterpret_cast<std::uintptr_t>(fiber.stack) / (kStackBytes + kPage)) % 61 * 64;
  auto top = reinterpret_cast<std::uintptr_t>(fiber.stack) + kStackBytes - 256 - colour;
  top &= ~std::uintptr_t{15};
  auto* words = reinterpret_cast<void**>(top);
  *--words = nullptr;  // entry() finds the alignment that a call leaves
  *--words = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--words = nullptr;
  fiber.stack_pointer = words;
}

void give_back(Fiber& fiber) {
  if (fiber.stack) free_stacks().push_back(fiber.stack);
  fiber.stack = nullptr;
}

bool is_guard(std::uintptr_t address) {
  for (const unsigned char* stack : all_stacks()) {
    const auto low = reinterpret_cast<std::uintptr_t>(stack);
    if (address < low && address >= low - kPage) return true;
  }
  return false;
}

}  // namespace tqm::port::cuda
