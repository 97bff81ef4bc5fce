// The device's memory: one reserved range of addresses, allocations with a zone between them that belongs to none, and
// a bit for each byte that says whether something was written there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace tqm::port::cuda {

enum class MemoryKind { device, host, managed };

struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  std::uintptr_t end() const { return begin + bytes; }
};

inline constexpr std::size_t kArenaBytes = std::size_t{1} << 38;

class DeviceMemory {
 public:
  static DeviceMemory& get();

  void* allocate(std::size_t bytes, MemoryKind kind);  // nullptr: more than the device has
  bool release(void* p);                               // false: not what allocate gave
  bool contains(std::uintptr_t a) const { return a - base_ < kArenaBytes; }
  std::uintptr_t base() const { return base_; }
  const Allocation* find(std::uintptr_t a) const;     // the allocation that holds the byte
  const Allocation* nearest(std::uintptr_t a) const;  // the last that begins at or before it
  std::size_t used() const { return used_; }
  std::size_t total() const { return total_; }
  const std::map<std::uintptr_t, Allocation>& allocations() const { return allocations_; }

  // Bits of up to 8 bytes that lie in one aligned group of 8, and of ranges.
  bool all_written(std::uintptr_t a, unsigned bytes) const {
    const std::size_t at = a - base_;
    const unsigned mask = ((1u << bytes) - 1) << (at & 7);
    return (written_[at >> 3] & mask) == mask;
  }
  void mark_written(std::uintptr_t a, std::size_t bytes);
  void mark_unwritten(std::uintptr_t a, std::size_t bytes);
  void copy_marks(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);
  bool range_written(std::uintptr_t a, std::size_t bytes) const;

 private:
  DeviceMemory();
  std::uintptr_t base_ = 0;
  unsigned char* written_ = nullptr;
  std::map<std::uintptr_t, Allocation> allocations_;
  std::multimap<std::size_t, std::uintptr_t> free_;  // by size
  std::uintptr_t next_ = 0;
  std::size_t used_ = 0, total_ = 0;
};

}  // namespace tqm::port::cuda
