#include "port/emulate/cuda/runtime/shared.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "port/emulate/cuda/runtime/options.hpp"

namespace tqm::port::cuda {
namespace {

// Without checks, poisoning what many kernels' variables take together costs more than running a small block.
constexpr std::size_t kPoisonEachBlock = std::size_t{32} << 10;

}  // namespace

SharedMemory& SharedMemory::get() {
  static auto* memory = new SharedMemory;
  return *memory;
}

void SharedMemory::begin_launch(const Image& image, std::size_t dynamic_bytes) {
  const ImageBorders& borders = *image.borders;
  if (image_ != &image) {
    image_ = &image;
    checked_ = borders.checked != 0;
    static_ = {};
    dynamic_ = {};
    static_.begin = reinterpret_cast<std::uintptr_t>(borders.section_begin);
    static_.bytes = static_cast<std::size_t>(borders.section_end - borders.section_begin);
    dynamic_.begin = reinterpret_cast<std::uintptr_t>(borders.dynamic);
    dynamic_.bytes = borders.dynamic_bytes;
    dynamic_.first_word = static_.bytes / 4 + 1;
    if (checked_) {
      static_.fresh_marks.assign(static_.bytes, kNobody);
      for (const SharedRow* row = borders.shared_begin; row != borders.shared_end; ++row)
        std::fill_n(static_.fresh_marks.begin() + (static_cast<unsigned char*>(row->address) - borders.section_begin),
                    row->bytes, kUnwritten);
      static_.marks = static_.fresh_marks;
      dynamic_.marks.assign(dynamic_.bytes, kNobody);
      dynamic_.fresh_marks = dynamic_.marks;
    }
  }
  dynamic_used_ = dynamic_bytes;
  if (checked_) {
    std::fill(dynamic_.fresh_marks.begin(), dynamic_.fresh_marks.end(), kNobody);
    std::fill_n(dynamic_.fresh_marks.begin(), dynamic_bytes, kUnwritten);
  }
}

void SharedMemory::refresh(SharedRange& range, bool whole) {
  std::size_t from = range.dirty_begin;
  std::size_t to = range.dirty_end;
  if (whole) {
    from = 0;
    to = range.bytes;
  }
  if (from >= to) return;
  std::memset(reinterpret_cast<void*>(range.begin + from), options().poison, to - from);
  if (checked_) std::memcpy(range.marks.data() + from, range.fresh_marks.data() + from, to - from);
  range.dirty_begin = range.bytes;
  range.dirty_end = 0;
}

void SharedMemory::begin_block(bool first) {
  if (checked_) {
    refresh(static_, first);
    refresh(dynamic_, first);
    return;
  }
  if (first || static_.bytes <= kPoisonEachBlock) refresh(static_, true);
  std::memset(reinterpret_cast<void*>(dynamic_.begin), options().poison, dynamic_used_);
}

void SharedMemory::save(std::vector<unsigned char>& content, std::vector<unsigned char>& marks) const {
  content.resize(static_.bytes + dynamic_used_);
  std::memcpy(content.data(), reinterpret_cast<const void*>(static_.begin), static_.bytes);
  std::memcpy(content.data() + static_.bytes, reinterpret_cast<const void*>(dynamic_.begin), dynamic_used_);
  if (!checked_) return;
  marks = static_.marks;
  marks.insert(marks.end(), dynamic_.marks.begin(),
               dynamic_.marks.begin() + static_cast<std::ptrdiff_t>(dynamic_used_));
}

void SharedMemory::load(const std::vector<unsigned char>& content, const std::vector<unsigned char>& marks) {
  std::memcpy(reinterpret_cast<void*>(static_.begin), content.data(), static_.bytes);
  std::memcpy(reinterpret_cast<void*>(dynamic_.begin), content.data() + static_.bytes, dynamic_used_);
  if (!checked_) return;
  std::copy_n(marks.begin(), static_.bytes, static_.marks.begin());
  std::copy_n(marks.begin() + static_cast<std::ptrdiff_t>(static_.bytes), dynamic_used_, dynamic_.marks.begin());
  for (SharedRange* range : {&static_, &dynamic_}) {
    range->dirty_begin = 0;
    range->dirty_end = range->bytes;
  }
}

std::string SharedMemory::name_at(std::uintptr_t a) const {
  if (dynamic_.contains(a))
    return fmt::format("byte {} of the {} bytes of dynamic shared memory", a - dynamic_.begin, dynamic_used_);
  const SharedRow* best = nullptr;
  for (const SharedRow* row = image_->borders->shared_begin; row != image_->borders->shared_end; ++row) {
    const auto begin = reinterpret_cast<std::uintptr_t>(row->address);
    if (begin <= a && (!best || begin > reinterpret_cast<std::uintptr_t>(best->address))) best = row;
  }
  if (!best) return "shared memory before every variable";
  return fmt::format("byte {} of the {} bytes of shared variable {}",
                     a - reinterpret_cast<std::uintptr_t>(best->address), best->bytes, best->name);
}

}  // namespace tqm::port::cuda
