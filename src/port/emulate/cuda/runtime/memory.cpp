#include "port/emulate/cuda/runtime/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#include "port/emulate/cuda/runtime/options.hpp"

namespace tqm::port::cuda {
namespace {

constexpr std::size_t kAlignment = 256;  // as cudaMalloc promises
// Behind each allocation lie addresses that belong to none: as many again as it has, and in a side, which has few
// buffers, far more. So an index that is wrong by a row, a plane or a factor of two is seen, and does not land in
// another allocation.
constexpr std::size_t kMostZone = std::size_t{1} << 20;

unsigned char* reserve(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    std::fprintf(stderr, "torquetum: %zu bytes of addresses can't be reserved: raise the limit (ulimit -v)\n", bytes);
    std::_Exit(1);
  }
  return static_cast<unsigned char*>(p);
}

std::size_t slot_bytes(std::size_t bytes) {
  const std::size_t least = options().least_zone;
  const std::size_t zone = std::clamp(bytes, least, std::max(least, kMostZone));
  return (bytes + zone + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

DeviceMemory& DeviceMemory::get() {
  static auto* memory = new DeviceMemory;
  return *memory;
}

DeviceMemory::DeviceMemory() {
  base_ = reinterpret_cast<std::uintptr_t>(reserve(kArenaBytes));
  written_ = reserve(kArenaBytes / 8);
  next_ = base_ + (std::size_t{1} << 16);
  total_ = options().memory_bytes;
}

void* DeviceMemory::allocate(std::size_t bytes, MemoryKind kind) {
  if (bytes > total_ - used_) return nullptr;
  const std::size_t slot = slot_bytes(bytes);
  std::uintptr_t at = 0;
  if (const auto reusable = free_.find(slot); reusable != free_.end()) {
    at = reusable->second;
    free_.erase(reusable);
  } else {
    if (next_ + slot > base_ + kArenaBytes) return nullptr;
    at = next_;
    next_ += slot;
  }
  allocations_[at] = {at, bytes, kind};
  used_ += bytes;
  // The host writes to its own and to managed memory without our seeing it.
  if (kind != MemoryKind::device) mark_written(at, bytes);
  return reinterpret_cast<void*>(at);
}

bool DeviceMemory::release(void* p) {
  const auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(p));
  if (found == allocations_.end()) return false;
  const Allocation gone = found->second;
  allocations_.erase(found);
  used_ -= gone.bytes;
  mark_unwritten(gone.begin, gone.bytes);
  const std::size_t slot = slot_bytes(gone.bytes);
  // Whole pages go back to the system and read as zero again; the rest is cleared, so that reuse is like first use.
  const std::uintptr_t first = (gone.begin + 4095) / 4096 * 4096;
  const std::uintptr_t last = (gone.begin + slot) / 4096 * 4096;
  if (last > first) {
    std::memset(reinterpret_cast<void*>(gone.begin), 0, first - gone.begin);
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    std::memset(reinterpret_cast<void*>(last), 0, gone.begin + slot - last);
  } else {
    std::memset(reinterpret_cast<void*>(gone.begin), 0, slot);
  }
  free_.emplace(slot, gone.begin);
  return true;
}

const Allocation* DeviceMemory::nearest(std::uintptr_t a) const {
  auto after = allocations_.upper_bound(a);
  if (after == allocations_.begin()) return nullptr;
  return &std::prev(after)->second;
}

const Allocation* DeviceMemory::find(std::uintptr_t a) const {
  const Allocation* before = nearest(a);
  return before && a < before->end() ? before : nullptr;
}

void DeviceMemory::mark_written(std::uintptr_t a, std::size_t bytes) {
  std::size_t at = a - base_;
  for (; bytes && (at & 7); ++at, --bytes)
    written_[at >> 3] = static_cast<unsigned char>(written_[at >> 3] | (1u << (at & 7)));
  std::memset(written_ + (at >> 3), 0xff, bytes >> 3);
  at += bytes & ~std::size_t{7};
  for (bytes &= 7; bytes; ++at, --bytes)
    written_[at >> 3] = static_cast<unsigned char>(written_[at >> 3] | (1u << (at & 7)));
}

void DeviceMemory::mark_unwritten(std::uintptr_t a, std::size_t bytes) {
  std::size_t at = a - base_;
  for (; bytes && (at & 7); ++at, --bytes)
    written_[at >> 3] = static_cast<unsigned char>(written_[at >> 3] & ~(1u << (at & 7)));
  std::memset(written_ + (at >> 3), 0, bytes >> 3);
  at += bytes & ~std::size_t{7};
  for (bytes &= 7; bytes; ++at, --bytes)
    written_[at >> 3] = static_cast<unsigned char>(written_[at >> 3] & ~(1u << (at & 7)));
}

void DeviceMemory::copy_marks(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (all_written(from + i, 1))
      mark_written(to + i, 1);
    else
      mark_unwritten(to + i, 1);
  }
}

bool DeviceMemory::range_written(std::uintptr_t a, std::size_t bytes) const {
  for (std::size_t i = 0; i < bytes; ++i)
    if (!all_written(a + i, 1)) return false;
  return true;
}

}  // namespace tqm::port::cuda
