#include "port/emulate/bang/runtime/operand.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "port/emulate/bang/runtime/pipes.hpp"
#include "port/emulate/bang/runtime/symbols.hpp"

namespace tqm::port::bang {

namespace {

Core& running_core(const char* call) {
  Core* core = has_machine() ? machine().core() : nullptr;
  if (core == nullptr) {
    std::fprintf(stderr, "%s was called outside a kernel\n", call);
    std::exit(1);
  }
  return *core;
}

bool any_flag(const void* begin, long bytes, std::uint8_t wanted) {
  const std::uint8_t* flags = machine().arena().flags(begin);
  std::uint8_t all = 0;
  for (long i = 0; i < bytes; ++i) {
    all = static_cast<std::uint8_t>(all | flags[i]);
  }
  return (all & wanted) != 0;
}

}  // namespace

Space space_at(const void* address) {
  const Machine& here = machine();
  if (machine().arena().holds(address)) {
    return machine().arena().space_of(address);
  }
  if (here.on_stack(address)) {
    return Space::stack;
  }
  return in_loaded_data(address) ? Space::constant : Space::other;
}

bool reachable(const Core& core, const void* address) {
  const Arena& arena = machine().arena();
  switch (arena.space_of(address)) {
    case Space::nram:
    case Space::wram:
    case Space::ldram:
      return arena.owner_of(address) == core.arena;
    case Space::sram:
      return arena.owner_of(address) == core.cluster;
    default:
      return true;
  }
}

std::string describe(const void* address) {
  const Space space = space_at(address);
  const Region* region = machine().arena().region_of(address);
  if (region == nullptr) {
    return bang::name(space);
  }
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(address) - region->begin;
  return "byte " + std::to_string(offset) + " of " + region->name + " (" + std::to_string(region->bytes) +
         " bytes of " + bang::name(space) + ")";
}

long first_without(const void* begin, long bytes, std::uint8_t wanted) {
  const std::uint8_t* flags = machine().arena().flags(begin);
  std::uint8_t all = wanted;
  for (long i = 0; i < bytes; ++i) {
    all = static_cast<std::uint8_t>(all & flags[i]);
  }
  if ((all & wanted) == wanted) {
    return bytes;
  }
  long i = 0;
  while (i < bytes && (flags[i] & wanted) == wanted) {
    ++i;
  }
  return i;
}

Call::Call(const char* name, const void* place) : name_(name), place_(place), core_(running_core(name)) {
  let_pipes_run(core_);
  ++machine().calls()[name];
}

bool Call::computes() const {
  return !core_.mpu;
}

void Call::operand(const void* begin, long bytes, const char* operand, Space space, bool write) {
  Arena& arena = machine().arena();
  const Space found = space_at(begin);
  if (found != space) {
    fail(kWrongSpace, std::string(name_) + ": " + operand + " points into " +
                          (arena.holds(begin) ? describe(begin) : std::string(bang::name(found))) +
                          ", and the call takes " + bang::name(space));
  }
  if (!arena.holds(begin)) {
    return;  // the stack: the compiler's
  }
  if (!reachable(core_, begin)) {
    fail(kWrongSpace, std::string(name_) + ": " + operand + " points into another core's " + bang::name(space));
  }
  const long good = first_without(begin, bytes, kGiven);
  if (good < bytes) {
    fail(kOutOfBounds, std::string(name_) + (write ? " writes " : " reads ") + std::to_string(bytes) + " bytes of " +
                           operand + " at " + describe(begin) + ": " + std::to_string(bytes - good) +
                           " bytes lie outside");
  }
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const Range range{from, from + static_cast<std::uintptr_t>(bytes), write, place_};
  if (!core_.pending.empty() && any_flag(begin, bytes, kPendingRead | kPendingWrite)) {
    check_in_flight(core_, range, name_, nullptr);
  }
  if (space == Space::nram || space == Space::wram) {
    note_compute(core_, range);
  }
}

void Call::reads(const void* begin, long bytes, const char* operand_name, Space space) {
  operand(begin, bytes, operand_name, space, false);
}

void Call::writes(void* begin, long bytes, const char* operand_name, Space space) {
  operand(begin, bytes, operand_name, space, true);
}

void Call::apart(const void* dst, long dst_bytes, const void* src, long src_bytes, bool may_be_same) {
  const auto* a = static_cast<const std::byte*>(dst);
  const auto* b = static_cast<const std::byte*>(src);
  if (a < b + src_bytes && b < a + dst_bytes && !(may_be_same && a == b)) {
    machine().faults().add(kOverlap, place_,
                           std::string(name_) + ": dst and a source overlap" +
                               (may_be_same ? " in part: they may be the same or apart" : ", which the call forbids") +
                               "; dst is " + describe(dst) + ", the source " + describe(src));
  }
}

const void* Call::source(const void* src, long src_bytes, const void* dst, long dst_bytes) {
  const auto* a = static_cast<const std::byte*>(dst);
  const auto* b = static_cast<const std::byte*>(src);
  if (a >= b + src_bytes || b >= a + dst_bytes) {
    return src;
  }
  kept_.emplace_back(b, b + src_bytes);
  return kept_.back().data();
}

bool Call::positive(long value, const char* what) {
  if (value > 0) {
    return true;
  }
  machine().faults().add(
      kArgument, place_,
      std::string(name_) + ": " + what + " is " + std::to_string(value) + ", and must be greater than zero");
  return false;
}

void Call::check(bool holds, const char* kind, const std::string& text) {
  if (!holds) {
    machine().faults().add(kind, place_, std::string(name_) + ": " + text);
  }
}

void Call::fail(const char* kind, const std::string& text) {
  machine().fatal(kind, place_, text);
}

bool Call::initialised(const void* begin, long bytes) const {
  return !machine().arena().holds(begin) || first_without(begin, bytes, kInitialised) == bytes;
}

void Call::require(const void* begin, long bytes, const char* operand_name) {
  if (!initialised(begin, bytes)) {
    const long good = first_without(begin, bytes, kInitialised);
    machine().faults().add(kUninitialised, place_,
                           std::string(name_) + " reads " + operand_name + " at " +
                               describe(static_cast<const std::byte*>(begin) + good) + ", which nothing has written");
  }
}

void Call::settle(void* dst, long bytes, bool initialised) {
  if (!machine().arena().holds(dst)) {
    return;
  }
  std::uint8_t* flags = machine().arena().flags(dst);
  for (long i = 0; i < bytes; ++i) {
    flags[i] = static_cast<std::uint8_t>((flags[i] & ~(kFilterLayout | kInitialised | kOfTheCard)) |
                                         (initialised ? kInitialised : 0));
  }
}

void Call::settle(void* dst, long n, long size, std::initializer_list<Lanes> sources) {
  bool all = true;
  for (const Lanes& lanes : sources) {
    all = all && (lanes.begin == nullptr || initialised(lanes.begin, lanes.size * lanes.count));
  }
  if (all) {
    settle(dst, n * size);
    return;
  }
  std::vector<bool> good(static_cast<std::size_t>(n), true);
  for (const Lanes& lanes : sources) {
    if (lanes.begin == nullptr) {
      continue;
    }
    const std::uint8_t* flags = machine().arena().flags(lanes.begin);
    for (long i = 0; i < n; ++i) {
      const long first = i * lanes.group % lanes.count * lanes.size;
      for (long byte = 0; byte < lanes.size * lanes.group; ++byte) {
        if ((flags[first + byte] & kInitialised) == 0) {
          good[static_cast<std::size_t>(i)] = false;
          break;
        }
      }
    }
  }
  for (long i = 0; i < n; ++i) {
    settle(static_cast<std::byte*>(dst) + i * size, size, good[static_cast<std::size_t>(i)]);
  }
}

void note_shared(Core& core, const void* begin, long bytes, bool write, bool changes, const char* call,
                 const void* place) {
  Arena& arena = machine().arena();
  const Space space = arena.space_of(begin);
  if ((space != Space::gdram && space != Space::sram) || bytes <= 0) {
    return;
  }
  Faults& faults = machine().faults();
  const auto unordered = [&](std::uint16_t slot, std::uint32_t clock) {
    if (slot == 0 || slot == core.slot) {
      return false;
    }
    const unsigned index = slot - core.first_slot;
    return slot < core.first_slot || index >= core.clock.size() || clock > core.clock[index];
  };
  const unsigned own = core.slot - core.first_slot;
  const std::uint32_t now = core.clock[own];
  const std::uint32_t site = faults.site(place);
  // In units of four aligned bytes; a unit that is only partly meant may be shared with a neighbour who is in the
  // right.
  const auto from = (reinterpret_cast<std::uintptr_t>(begin) + 3) / 4 * 4;
  const auto to = (reinterpret_cast<std::uintptr_t>(begin) + static_cast<std::uintptr_t>(bytes)) / 4 * 4;
  if (to <= from) {
    return;
  }
  Touch* touch = arena.touch(reinterpret_cast<const void*>(from));
  Touch* const end = touch + (to - from) / 4;
  for (; touch < end; ++touch) {
    const bool after_write = unordered(touch->writer, touch->write_clock) && (!write || changes);
    const bool after_read = write && changes && unordered(touch->reader, touch->read_clock);
    if (after_write || after_read) {
      faults.add(kRace, place,
                 std::string(call) + (write ? " writes " : " reads ") + describe(begin) + ", which another " +
                     (core.clock.size() == 1 ? "task" : "core") +
                     (after_write ? " wrote (" : " read, and wrote last (") + faults.at(touch->write_site) +
                     ") with no barrier between");
      return;
    }
    if (write) {
      touch->writer = static_cast<std::uint16_t>(core.slot);
      touch->write_clock = now;
      touch->write_site = site;
    } else {
      touch->reader = static_cast<std::uint16_t>(core.slot);
      touch->read_clock = now;
    }
  }
}

}  // namespace tqm::port::bang
