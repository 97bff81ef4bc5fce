#include "compress/runtime/fast/buffer.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace tqm::compress::fast {
namespace {
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kBlock = size_t{32} << 20;
}  // namespace

// Small ones come from the heap (so that a sanitiser sees what runs past them), large ones from the kernel, zeroed and
// untouched: a key-value cache then takes memory only as it fills.
Buffer::Buffer(size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes < kHugePage) {
    data_ = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!data_) throw std::bad_alloc();
    std::memset(data_, 0, bytes);
    return;
  }
  reserved_ = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* mapped = mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  madvise(mapped, reserved_, MADV_HUGEPAGE);
  data_ = mapped;
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      reserved_(std::exchange(other.reserved_, 0)),
      owned_(std::exchange(other.owned_, true)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(reserved_, other.reserved_);
  std::swap(owned_, other.owned_);
  return *this;
}

Buffer::~Buffer() {
  if (!owned_) return;
  if (reserved_) {
    munmap(data_, reserved_);
  } else {
    std::free(data_);
  }
}

void Arena::settle(Buffer& buffer) {
  if (buffer.bytes() == 0 || !buffer.owned_) return;
  const size_t room = (buffer.bytes() + 63) / 64 * 64;
  if (blocks_.empty() || used_ + room > blocks_.back().bytes()) {
    blocks_.emplace_back(room > kBlock ? room : kBlock);
    used_ = 0;
  }
  void* to = blocks_.back().as<unsigned char>() + used_;
  std::memcpy(to, buffer.as<void>(), buffer.bytes());
  used_ += room;
  Buffer settled;
  settled.data_ = to;
  settled.bytes_ = buffer.bytes();
  settled.owned_ = false;
  buffer = std::move(settled);
}

}  // namespace tqm::compress::fast
