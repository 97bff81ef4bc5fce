#include "port/emulate/cuda/runtime/limits.hpp"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "port/emulate/cuda/runtime/block.hpp"
#include "port/emulate/cuda/runtime/fault.hpp"
#include "port/emulate/cuda/runtime/options.hpp"

namespace tqm::port::cuda {
namespace {

volatile std::sig_atomic_t expired = 0;
constexpr std::size_t kEmergencyStackBytes = std::size_t{256} << 10;
unsigned char* emergency_stack = nullptr;
struct {
  std::uintptr_t code = 0, address = 0;
  bool stack = false;
} wild;

void tell(const char* text) {
  const auto written = write(2, text, std::strlen(text));
  static_cast<void>(written);
}

// A kernel that never comes back to the scheduler is ended two seconds later.
void on_alarm(int) {
  if (expired) {
    tell("torquetum: ran past its limit of seconds and was ended\n");
    _exit(124);
  }
  expired = 1;
  itimerval again{{0, 0}, {2, 0}};
  setitimer(ITIMER_REAL, &again, nullptr);
}

// On the emergency stack, as if the faulting instruction had called it.
void after_wild_access() {
  if (wild.stack)
    note_fault("illegal-address", wild.code,
               fmt::format("{} needs more than {} bytes of stack",
                           thread_name(*current_block(), current_thread()->number), kStackBytes));
  else
    note_fault("illegal-address", wild.code,
               fmt::format("{} accesses {:#x}, where no memory is",
                           thread_name(*current_block(), current_thread()->number), wild.address));
  end_launch(LaunchEnd::illegal_address);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (!current_thread() || !current_block()) {  // host code: as without us
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  auto* machine = static_cast<ucontext_t*>(context);
  wild.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  wild.code = static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RIP]) + 1;
  wild.stack = is_guard(wild.address);
  const auto top =
      (reinterpret_cast<std::uintptr_t>(emergency_stack) + kEmergencyStackBytes - 64) & ~std::uintptr_t{15};
  machine->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(top - 8);
  machine->uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&after_wild_access));
}

}  // namespace

void start_limits() {
  static bool done = false;
  if (done) return;
  done = true;
  emergency_stack = static_cast<unsigned char*>(std::malloc(kEmergencyStackBytes));
  auto* signal_stack = static_cast<unsigned char*>(std::malloc(kEmergencyStackBytes));
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = kEmergencyStackBytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  sigaction(SIGFPE, &action, nullptr);
  if (options().seconds > 0) {
    std::signal(SIGALRM, on_alarm);
    const auto whole = static_cast<time_t>(options().seconds);
    const auto part = static_cast<suseconds_t>((options().seconds - static_cast<double>(whole)) * 1e6);
    itimerval once{{0, 0}, {whole, part}};
    setitimer(ITIMER_REAL, &once, nullptr);
  }
}

bool time_is_up() {
  return expired != 0;
}

}  // namespace tqm::port::cuda
