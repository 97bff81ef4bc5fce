#include "port/emulate/bang/runtime/arena.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace tqm::port::bang {

namespace {

constexpr std::size_t kApart = 64;  // between variables: nobody owns it
constexpr std::size_t kGdramApart = 4096;

void* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "the BANG emulator can't reserve %zu bytes of addresses\n", bytes);
    std::exit(1);
  }
  return memory;
}

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

const char* name(Space space) {
  switch (space) {
    case Space::nram:
      return "NRAM";
    case Space::wram:
      return "WRAM";
    case Space::ldram:
      return "LDRAM";
    case Space::sram:
      return "SRAM";
    case Space::gdram:
      return "GDRAM";
    case Space::stack:
      return "the core's stack";
    case Space::constant:
      return "constant memory";
    case Space::other:
      break;
  }
  return "no memory of the device";
}

Arena::Arena(const ChipFigures& chip) : chip_(chip) {
  base_ = reinterpret_cast<std::uintptr_t>(reserve(kBytes));
  flags_ = static_cast<std::uint8_t*>(reserve(kBytes));
  touches_ = static_cast<Touch*>(reserve(kBytes / 4 * sizeof(Touch)));
}

Arena::~Arena() {
  munmap(reinterpret_cast<void*>(base_), kBytes);
  munmap(flags_, kBytes);
  munmap(touches_, kBytes / 4 * sizeof(Touch));
}

std::uintptr_t Arena::start(Space space, unsigned owner) const {
  switch (space) {
    case Space::nram:
    case Space::wram:
    case Space::ldram:
      return base_ + static_cast<std::size_t>(space) * kCoreBytes + owner * kCoreStride;
    case Space::sram:
      return base_ + kSramOffset + owner * kClusterStride;
    default:
      return base_ + kGdramOffset;
  }
}

std::size_t Arena::capacity(Space space) const {
  switch (space) {
    case Space::nram:
      return chip_.nram;
    case Space::wram:
      return chip_.wram;
    case Space::sram:
      return chip_.sram;
    case Space::ldram:
      return kCoreStride / 2;
    default:
      return kGdramBytes / 2;
  }
}

Space Arena::space_of(const void* address) const {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(address) - base_;
  if (offset >= kBytes) {
    return Space::other;
  }
  if (offset >= kGdramOffset) {
    return Space::gdram;
  }
  return offset >= kSramOffset ? Space::sram : static_cast<Space>(offset / kCoreBytes);
}

unsigned Arena::owner_of(const void* address) const {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(address) - base_;
  if (offset >= kGdramOffset) {
    return 0;
  }
  return static_cast<unsigned>(offset >= kSramOffset ? (offset - kSramOffset) / kClusterStride
                                                     : offset % kCoreBytes / kCoreStride);
}

std::byte* Arena::wram_base(unsigned owner) const {
  return reinterpret_cast<std::byte*>(start(Space::wram, owner));
}

void* Arena::give(Space space, unsigned owner, std::size_t bytes, std::uint8_t poison, std::string name) {
  Given& given = spaces_[space == Space::gdram ? 0 : owner][static_cast<std::size_t>(space)];
  // A variable in WRAM lies across all lane tables, the same part of each.
  const std::size_t taken = space == Space::wram ? round_up(bytes, 64 * kLaneTables) : round_up(bytes, 64);
  if (given.used + (space == Space::gdram ? taken : bytes) > capacity(space)) {
    return nullptr;
  }
  const std::uintptr_t begin = start(space, owner) + given.next;
  if (space == Space::wram) {
    const std::size_t part = taken / kLaneTables;
    for (std::size_t table = 0; table < kLaneTables; ++table) {
      void* place = reinterpret_cast<void*>(begin + table * lane_table_bytes());
      std::memset(place, poison, part);
      std::memset(flags(place), kGiven, part);
    }
    given.next += part;
  } else {
    void* place = reinterpret_cast<void*>(begin);
    std::memset(place, poison, bytes);
    std::memset(flags(place), kGiven, bytes);
    given.next += taken + (space == Space::gdram ? kGdramApart : kApart);
  }
  given.used += taken;
  given.regions.push_back({begin, bytes, std::move(name), space, owner});
  return reinterpret_cast<void*>(begin);
}

std::size_t Arena::used(Space space, unsigned owner) const {
  return spaces_[owner][static_cast<std::size_t>(space)].used;
}

void Arena::clear(const Region& region) {
  if (region.space == Space::wram) {
    const std::size_t part = round_up(region.bytes, 64 * kLaneTables) / kLaneTables;
    for (std::size_t table = 0; table < kLaneTables; ++table) {
      std::memset(flags(reinterpret_cast<void*>(region.begin + table * lane_table_bytes())), 0, part);
    }
  } else {
    std::memset(flags(reinterpret_cast<void*>(region.begin)), 0, region.bytes);
  }
}

void Arena::clear_touches(const Region& region) {
  std::memset(static_cast<void*>(touch(reinterpret_cast<void*>(region.begin))), 0,
              (region.bytes + 3) / 4 * sizeof(Touch));
}

void Arena::reset(Space space, unsigned owner) {
  Given& given = spaces_[owner][static_cast<std::size_t>(space)];
  for (const Region& region : given.regions) {
    clear(region);
    if (space == Space::sram) {
      clear_touches(region);
    }
  }
  given = {};
}

void Arena::reset_gdram() {
  Given& given = spaces_[0][static_cast<std::size_t>(Space::gdram)];
  for (const Region& region : given.regions) {
    clear(region);
    clear_touches(region);
  }
  given = {};
}

const Region* Arena::region_of(const void* address) const {
  const Space space = space_of(address);
  if (space == Space::other) {
    return nullptr;
  }
  const Region* nearest = nullptr;
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  for (const Region& region : spaces_[owner_of(address)][static_cast<std::size_t>(space)].regions) {
    if (region.begin <= value && (nearest == nullptr || nearest->begin < region.begin)) {
      nearest = &region;
    }
  }
  return nearest;
}

}  // namespace tqm::port::bang
