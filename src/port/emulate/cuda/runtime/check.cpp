#include "port/emulate/cuda/runtime/check.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <vector>

#include "port/emulate/cuda/runtime/block.hpp"
#include "port/emulate/cuda/runtime/fault.hpp"
#include "port/emulate/cuda/runtime/memory.hpp"
#include "port/emulate/cuda/runtime/race.hpp"
#include "port/emulate/cuda/runtime/shared.hpp"

namespace tqm::port::cuda {
namespace {

// Races on global memory are looked for in so much of it: a word's history takes six times the word.
constexpr std::size_t kTrackedBytes = std::size_t{4} << 30;  // of addresses; only what is touched costs memory

constexpr std::uintptr_t kNothingBelow = 65536;  // no system maps the first pages

struct Histories {
  std::vector<WordHistory> shared;
  WordHistory* global = nullptr;
  std::uint64_t serial = 0;
  bool ordered_otherwise = false;  // a fence or an atomic on global memory: blocks may order each other by it
};
Histories held;

// A write that conflicts is a fault only if it changes the bytes: looked at when the thread does its next access.
struct Suspect {
  bool waiting = false;
  std::uintptr_t address = 0, site = 0;
  std::size_t bytes = 0;
  unsigned char before[16] = {};
  const char* kind = nullptr;
  Block* block = nullptr;
  unsigned writer = 0, other = 0;
  bool other_wrote = false, other_block = false;
};
Suspect suspect;

std::string where(std::uintptr_t a) {
  if (SharedMemory::get().range_of(a)) return SharedMemory::get().name_at(a);
  if (const Allocation* allocation = DeviceMemory::get().nearest(a))
    return fmt::format("byte {} of an allocation of {} bytes", a - allocation->begin, allocation->bytes);
  return fmt::format("address {:#x}", a);
}

std::string self_name() {
  return thread_name(*current_block(), current_thread()->number);
}

void settle_suspect() {
  suspect.waiting = false;
  if (std::memcmp(reinterpret_cast<const void*>(suspect.address), suspect.before, suspect.bytes) == 0) return;
  const std::string other =
      suspect.other_block ? "a thread of another block" : thread_name(*suspect.block, suspect.other);
  note_fault(
      suspect.kind, suspect.site,
      fmt::format("{} writes {} that {} {}, and nothing orders the two", thread_name(*suspect.block, suspect.writer),
                  where(suspect.address), other, suspect.other_wrote ? "writes" : "reads"));
}

const char* kind_of(Conflict conflict) {
  return conflict == Conflict::same_warp ? "implicit-warp-synchrony" : "race";
}

void report_conflict(const Verdict& verdict, std::uintptr_t a, std::size_t bytes, bool write, std::uintptr_t site) {
  const char* kind = kind_of(verdict.conflict);
  if (fault_is_known(kind, site)) return;
  if (!write) {
    const std::string other = verdict.conflict == Conflict::other_block
                                  ? "a thread of another block"
                                  : thread_name(*current_block(), verdict.other_thread);
    note_fault(kind, site,
               fmt::format("{} reads {} that {} writes, and nothing orders the two", self_name(), where(a), other));
    return;
  }
  suspect.waiting = true;
  suspect.address = a;
  suspect.site = site;
  suspect.bytes = std::min<std::size_t>(bytes, sizeof suspect.before);
  std::memcpy(suspect.before, reinterpret_cast<const void*>(a), suspect.bytes);
  suspect.kind = kind;
  suspect.block = current_block();
  suspect.writer = current_thread()->number;
  suspect.other = verdict.other_thread;
  suspect.other_wrote = verdict.write_before;
  suspect.other_block = verdict.conflict == Conflict::other_block;
}

void look_for_races(WordHistory* words, std::uintptr_t a, std::size_t at, std::size_t bytes, bool write,
                    std::uintptr_t site, bool across_blocks) {
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t in_word = (at + done) % 4;
    const std::size_t part = std::min(bytes - done, 4 - in_word);
    const auto mask = static_cast<unsigned>(((1u << part) - 1) << in_word);
    const Verdict verdict = touch(words[(at + done) / 4], mask, write, across_blocks);
    if (verdict.conflict != Conflict::none && !suspect.waiting) report_conflict(verdict, a + done, part, write, site);
    done += part;
  }
}

void check_global(std::uintptr_t a, std::size_t bytes, Access access, std::uintptr_t site) {
  DeviceMemory& memory = DeviceMemory::get();
  const bool in_group = bytes <= 8 && (a & 7) + bytes <= 8;
  if (!in_group || !memory.all_written(a, static_cast<unsigned>(bytes))) {
    const Allocation* allocation = memory.find(a);
    if (!allocation || a + bytes > allocation->end()) {
      if (!fault_is_known("out-of-bounds", site))
        note_fault("out-of-bounds", site,
                   fmt::format("{} {} {} bytes at {}", self_name(), access == Access::read ? "reads" : "writes", bytes,
                               where(a)));
      return;
    }
    if (access == Access::write) {
      memory.mark_written(a, bytes);
    } else if (!memory.range_written(a, bytes)) {
      if (!fault_is_known("uninitialised-read", site))
        note_fault("uninitialised-read", site, fmt::format("{} reads {}, which nobody wrote", self_name(), where(a)));
      memory.mark_written(a, bytes);
    }
  }
  if (access == Access::atomic) {
    held.ordered_otherwise = true;
    return;
  }
  const std::size_t at = a - memory.base();
  if (at + bytes > kTrackedBytes) return;
  if (!held.global) {
    void* p = mmap(nullptr, kTrackedBytes / 4 * sizeof(WordHistory), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return;
    held.global = static_cast<WordHistory*>(p);
  }
  const bool across = !held.ordered_otherwise && !current_shape().cooperative;
  look_for_races(held.global, a, at, bytes, access == Access::write, site, across);
}

void check_shared(SharedRange& range, std::uintptr_t a, std::size_t bytes, Access access, std::uintptr_t site) {
  const std::size_t at = a - range.begin;
  bool outside = at + bytes > range.bytes;
  bool unwritten = false;
  for (std::size_t i = 0; i < bytes && !outside; ++i) {
    outside = range.marks[at + i] == kNobody;
    unwritten |= range.marks[at + i] == kUnwritten;
  }
  if (outside) {
    if (!fault_is_known("out-of-bounds", site))
      note_fault("out-of-bounds", site,
                 fmt::format("{} {} {} bytes at {}", self_name(), access == Access::read ? "reads" : "writes", bytes,
                             where(a)));
    return;
  }
  if (unwritten && access != Access::write && !fault_is_known("uninitialised-read", site))
    note_fault("uninitialised-read", site, fmt::format("{} reads {}, which nobody wrote", self_name(), where(a)));
  if (access != Access::read || unwritten) {
    std::memset(range.marks.data() + at, kWritten, bytes);
    range.dirty_begin = std::min(range.dirty_begin, at);
    range.dirty_end = std::max(range.dirty_end, at + bytes);
  }
  if (access == Access::atomic) return;
  if (held.serial != launch_serial()) {
    held.serial = launch_serial();
    held.ordered_otherwise = false;
    held.shared.assign(SharedMemory::get().words(), {});
  }
  look_for_races(held.shared.data() + range.first_word, a, at, bytes, access == Access::write, site, false);
}

void check_elsewhere(std::uintptr_t a, std::size_t bytes, std::uintptr_t site) {
  if (image_at(a)) return;        // variables and constants of the device code
  if (a < kNothingBelow) return;  // the access itself will fault
  if (fault_is_known("host-memory", site)) return;
  note_fault("host-memory", site,
             fmt::format("{} accesses {} bytes of the host's memory at {:#x}", self_name(), bytes, a));
}

}  // namespace

void check_access(std::uintptr_t a, std::size_t bytes, Access access, std::uintptr_t site, unsigned alignment) {
  const Thread* self = current_thread();
  if (!self) return;  // a constructor of a device variable
  if (a - reinterpret_cast<std::uintptr_t>(self->fiber.stack) < kStackBytes) return;
  if (suspect.waiting) settle_suspect();
  if (held.serial != launch_serial()) {
    held.serial = launch_serial();
    held.ordered_otherwise = false;
    held.shared.assign(SharedMemory::get().words(), {});
  }
  if (alignment > 1 && a % alignment != 0 && !fault_is_known("misaligned", site))
    note_fault("misaligned", site,
               fmt::format("{} accesses {} bytes at {:#x}, not a multiple of {}", self_name(), bytes, a, alignment));
  Counters& count = counters();
  if (DeviceMemory::get().contains(a)) {
    ++(access == Access::read ? count.global_loads : access == Access::write ? count.global_stores : count.atomics);
    check_global(a, bytes, access, site);
  } else if (SharedRange* range = SharedMemory::get().range_of(a)) {
    ++(access == Access::read ? count.shared_loads : access == Access::write ? count.shared_stores : count.atomics);
    check_shared(*range, a, bytes, access, site);
  } else {
    check_elsewhere(a, bytes, site);
  }
}

void step_of_warp(std::uintptr_t a) {
  if (current_thread() && SharedMemory::get().range_of(a)) step_thread();
}

void end_of_launch_checks() {
  if (suspect.waiting) settle_suspect();
}

void note_fence() {
  held.ordered_otherwise = true;
}

}  // namespace tqm::port::cuda
