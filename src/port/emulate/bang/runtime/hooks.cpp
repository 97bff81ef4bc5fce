// What the compiler calls for us: before every raw access of a kernel to memory (-fsanitize=thread writes the calls;
// the functions are ours, not the sanitiser's), and for the address of every variable in an on-chip memory (they are
// emulated thread-local variables: see prepare.hpp).
#include "port/emulate/bang/runtime/hooks.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "port/emulate/bang/runtime/operand.hpp"
#include "port/emulate/bang/runtime/pipes.hpp"
#include "port/emulate/bang/runtime/symbols.hpp"

namespace tqm::port::bang {

namespace {

ScalarTraffic traffic;

// False where the access goes nowhere: the MPU's to NRAM.
bool check_own(Core& core, const void* address, bool write, const void* place) {
  const Space space = machine().arena().space_of(address);
  if (space == Space::wram) {
    machine().fatal(kWrongSpace, place, "scalar code can't reach WRAM: " + describe(address));
  }
  if (!reachable(core, address)) {
    machine().fatal(kWrongSpace, place,
                    std::string("a raw ") + (write ? "store" : "load") + " in another core's " + name(space));
  }
  if (core.mpu && space == Space::nram) {
    machine().faults().add(kWrongCore, place, "the MPU has no NRAM, and reaches " + describe(address));
    return false;
  }
  return true;
}

void access(const void* address, std::size_t bytes, bool write, const void* place) {
  if (!has_machine()) {
    return;
  }
  Machine& here = machine();
  Core* core = here.core();
  if (core == nullptr || bytes == 0 || here.on_stack(address)) {
    return;
  }
  Arena& arena = here.arena();
  if (!arena.holds(address)) {
    if (!in_loaded_data(address)) {
      here.fatal(kWrongSpace, place,
                 std::string("a raw ") + (write ? "store to" : "load from") + " an address in no memory of the device");
    }
    return;
  }
  if (!check_own(*core, address, write, place)) {
    return;
  }
  const std::uint8_t* flags = arena.flags(address);
  std::uint8_t all = kGiven | kInitialised;
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    all = static_cast<std::uint8_t>(all & flags[i]);
    any = static_cast<std::uint8_t>(any | flags[i]);
  }
  const Space space = arena.space_of(address);
  if ((all & kGiven) == 0) {
    std::string text = std::string("a raw ") + (write ? "store of " : "load of ") + std::to_string(bytes) +
                       " bytes at " + describe(address) + ": outside";
    here.faults().add(kOutOfBounds, place, text);  // within the arena nothing of ours is hurt
    return;
  }
  if (!write && (all & kInitialised) == 0) {
    here.faults().add(kUninitialised, place, "a raw load of " + describe(address) + ", which nothing has written");
  }
  if ((any & (kPendingRead | kPendingWrite)) != 0) {
    const auto from = reinterpret_cast<std::uintptr_t>(address);
    check_in_flight(*core, {from, from + bytes, write, place}, write ? "a raw store" : "a raw load", nullptr);
  }
  if (space == Space::gdram || space == Space::sram) {
    // What a raw store writes is not known yet: of two stores of one place the race is not told from agreement.
    note_shared(*core, address, static_cast<long>(bytes), write, false, write ? "a raw store" : "a raw load", place);
  }
  if (write) {
    std::uint8_t* to = arena.flags(address);
    for (std::size_t i = 0; i < bytes; ++i) {
      to[i] = static_cast<std::uint8_t>((to[i] | kInitialised) & ~kFilterLayout);
    }
  }
  (space == Space::gdram ? traffic.gdram : space == Space::sram ? traffic.sram : traffic.nram) += bytes;
  ++traffic.accesses;
}

}  // namespace

ScalarTraffic& scalar_traffic() {
  return traffic;
}

namespace {

// As LLVM lays it out.
struct Control {
  std::size_t size;
  std::size_t align;
  std::uintptr_t index;
  const void* initial;
};

// The alignment of such a variable says where it belongs: prepare.cpp writes it.
Space space_of_alignment(std::size_t align) {
  switch (align) {
    case 2048:
      return Space::ldram;
    case 4096:
      return Space::wram;
    case 8192:
      return Space::sram;
    default:
      return Space::nram;
  }
}

// Room for a variable, poisoned or with its initial value.
void* place_variable(const Control& control, Space space, unsigned owner, const void* place) {
  Machine& here = machine();
  Arena& arena = here.arena();
  void* address = arena.give(space, owner, control.size, here.poison(), Faults::variable(&control));
  if (address == nullptr) {
    const std::size_t room = space == Space::wram   ? arena.chip().wram
                             : space == Space::sram ? arena.chip().sram
                                                    : arena.chip().nram;
    here.fatal(kOverflow, place,
               std::string(name(space)) + " is too small: " + Faults::variable(&control) + " takes " +
                   std::to_string(control.size) + " bytes beside " + std::to_string(arena.used(space, owner)) +
                   " in use, of " + std::to_string(room));
  }
  if (control.initial != nullptr) {
    std::memcpy(address, control.initial, control.size);
    std::memset(arena.flags(address), kGiven | kInitialised, control.size);
  }
  return address;
}

void* variable_of(Core& core, const Control& control, const void* place) {
  Machine& here = machine();
  const Space space = space_of_alignment(control.align);
  if (space != Space::sram) {
    void*& address = core.variables[&control];
    return address != nullptr ? address : address = place_variable(control, space, core.arena, place);
  }
  if (tqm_bang::cluster_dim == 0) {
    here.fatal(kTaskType, place, "a Block task has no SRAM for " + Faults::variable(&control));
  }
  // At the same place in every cluster, whoever asks first: SRAM2SRAM gives one address for two of them.
  if (here.cluster_variables(core.cluster)[&control] == nullptr) {
    for (unsigned cluster = 0; cluster < tqm_bang::cluster_dim; ++cluster) {
      here.cluster_variables(cluster)[&control] = place_variable(control, space, cluster, place);
    }
  }
  return here.cluster_variables(core.cluster)[&control];
}

}  // namespace

}  // namespace tqm::port::bang

using tqm::port::bang::access;

extern "C" {

void* __emutls_get_address(void* control) {
  using namespace tqm::port::bang;
  Core* core = has_machine() ? machine().core() : nullptr;
  if (core == nullptr) {
    std::fprintf(stderr, "host code reaches a variable in an on-chip memory\n");
    std::exit(1);
  }
  return variable_of(*core, *static_cast<const Control*>(control), PLACE);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define TQM_HOOK(bytes)                                    \
  void __tsan_read##bytes(void* address) {                 \
    access(address, bytes, false, PLACE);                  \
  }                                                        \
  void __tsan_write##bytes(void* address) {                \
    access(address, bytes, true, PLACE);                   \
  }                                                        \
  void __tsan_unaligned_read##bytes(void* address) {       \
    access(address, bytes, false, PLACE);                  \
  }                                                        \
  void __tsan_unaligned_write##bytes(void* address) {      \
    access(address, bytes, true, PLACE);                   \
  }                                                        \
  void __tsan_volatile_read##bytes(void* address) {        \
    access(address, bytes, false, PLACE);                  \
  }                                                        \
  void __tsan_volatile_write##bytes(void* address) {       \
    access(address, bytes, true, PLACE);                   \
  }                                                        \
  void __tsan_read_write##bytes(void* address) {           \
    access(address, bytes, false, PLACE);                  \
    access(address, bytes, true, PLACE);                   \
  }                                                        \
  void __tsan_unaligned_read_write##bytes(void* address) { \
    access(address, bytes, false, PLACE);                  \
    access(address, bytes, true, PLACE);                   \
  }
TQM_HOOK(1)
TQM_HOOK(2)
TQM_HOOK(4)
TQM_HOOK(8)
TQM_HOOK(16)
#undef TQM_HOOK

void __tsan_read_range(void* address, unsigned long bytes) {
  access(address, bytes, false, PLACE);
}
void __tsan_write_range(void* address, unsigned long bytes) {
  access(address, bytes, true, PLACE);
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void* __tsan_memcpy(void* dst, const void* src, unsigned long bytes) {
  access(src, bytes, false, PLACE);
  access(dst, bytes, true, PLACE);
  return std::memcpy(dst, src, bytes);
}
void* __tsan_memmove(void* dst, const void* src, unsigned long bytes) {
  access(src, bytes, false, PLACE);
  access(dst, bytes, true, PLACE);
  return std::memmove(dst, src, bytes);
}
void* __tsan_memset(void* dst, int value, unsigned long bytes) {
  access(dst, bytes, true, PLACE);
  return std::memset(dst, value, bytes);
}
}
