// Settings, scalar loads and stores by name, gather and scatter, and what else touches memory one element at a time.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "port/emulate/bang/runtime/number.hpp"
#include "port/emulate/bang/runtime/operand.hpp"
#include "port/emulate/bang/runtime/symbols.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

Space space_named(char letter) {
  switch (letter) {
    case 'n':
      return Space::nram;
    case 'w':
      return Space::wram;
    case 's':
      return Space::sram;
    case 'l':
      return Space::ldram;
    default:
      return Space::gdram;
  }
}

// A bit for every element, the first in the lowest bit of the first byte.
bool bit(const void* mask, long index) {
  return mask == nullptr || ((static_cast<const unsigned char*>(mask)[index / 8] >> (index % 8)) & 1) != 0;
}

}  // namespace

void fill(const char* name, char letter, Type type, void* dst, unsigned long bits, long n, long stride0, long count1,
          long stride1, long count2) {
  Call call(name, PLACE);
  const Space space = space_named(letter);
  // NRAM and LDRAM are the IPUs', SRAM is set by its MPU; GDRAM by whoever comes.
  const bool runs = space == Space::gdram || (space == Space::sram) == call.core().mpu;
  if (!runs || !call.positive(n, "the number of elements")) {
    return;
  }
  const long size = size_of(type);
  call.check(count1 >= 0 && count2 >= 0, kArgument, "a negative number of segments");
  call.check(count1 <= 0 || stride0 >= n * size, kArgument, "stride0 is shorter than a segment");
  for (long outer = 0; outer <= count2; ++outer) {
    for (long inner = 0; inner <= count1; ++inner) {
      auto* begin = static_cast<std::byte*>(dst) + outer * stride1 + inner * stride0;
      call.writes(begin, n * size, "dst", space);
      if (space == Space::gdram || space == Space::sram) {
        bool changes = false;
        for (long i = 0; i < n && !changes; ++i) {
          changes = std::memcmp(begin + i * size, &bits, static_cast<std::size_t>(size)) != 0;
        }
        note_shared(call.core(), begin, n * size, true, changes, name, call.place());
      }
      for (long i = 0; i < n; ++i) {
        std::memcpy(begin + i * size, &bits, static_cast<std::size_t>(size));
      }
      call.settle(begin, n * size);
    }
  }
  const auto bytes = static_cast<std::uint64_t>(n * size * (count1 + 1) * (count2 + 1));
  call.count(space == Space::nram ? "vector_bytes" : "dma_bytes", bytes);
}

unsigned long load(const char* name, char letter, const void* address, int bytes) {
  Call call(name, PLACE);
  call.reads(address, bytes, "the address", space_named(letter));
  call.require(address, bytes, "the address");
  note_shared(call.core(), address, bytes, false, false, name, call.place());
  unsigned long value = 0;
  std::memcpy(&value, address, static_cast<std::size_t>(bytes));
  call.count("scalar_bytes", static_cast<std::uint64_t>(bytes));
  return value;
}

void store(const char* name, char letter, void* address, unsigned long bits, int bytes) {
  Call call(name, PLACE);
  call.writes(address, bytes, "the address", space_named(letter));
  note_shared(call.core(), address, bytes, true, std::memcmp(address, &bits, static_cast<std::size_t>(bytes)) != 0,
              name, call.place());
  std::memcpy(address, &bits, static_cast<std::size_t>(bytes));
  call.settle(address, bytes);
  call.count("scalar_bytes", static_cast<std::uint64_t>(bytes));
}

void store_register(const char* name, Type type, void* dst, const void* values, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  const long bytes = n * size_of(type);
  call.check(bytes <= 256, kArgument, "a register holds 256 bytes");
  call.writes(dst, bytes, "dst");
  std::memcpy(dst, values, static_cast<std::size_t>(bytes));
  call.settle(dst, bytes);
  call.count("vector_bytes", static_cast<std::uint64_t>(bytes));
}

// Both: rows of `bytes` at byte offsets, from GDRAM or SRAM to NRAM, or back.
void gather(const char* name, void* dst, const void* src, const void* offsets, const void* mask, long bytes,
            int direction, long dst_stride, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of rows") || !call.positive(bytes, "size")) {
    return;
  }
  const Space from = direction == 0 ? Space::gdram : direction == 15 ? Space::sram : Space::nram;
  if (direction != 0 && direction != 15 && direction != 8) {
    call.fail(kDirection, std::string(name) + ": a gather reads GDRAM, SRAM or NRAM and writes NRAM");
  }
  call.check(dst_stride >= bytes, kArgument, "a dst_stride shorter than a row");
  call.reads(offsets, 4 * n, "the offsets");
  if (mask != nullptr) {
    call.reads(mask, (n + 7) / 8, "the mask");
    call.require(mask, (n + 7) / 8, "the mask");
  }
  for (long i = 0; i < n; ++i) {
    if (!bit(mask, i)) {
      continue;
    }
    call.require(static_cast<const std::byte*>(offsets) + 4 * i, 4, "the offsets");
    const auto* row = static_cast<const std::byte*>(src) + get<std::uint32_t>(offsets, i);
    auto* out = static_cast<std::byte*>(dst) + i * dst_stride;
    call.reads(row, bytes, "src", from);
    call.writes(out, bytes, "dst");
    note_shared(call.core(), row, bytes, false, false, name, call.place());
    call.settle(out, bytes, 1, {{row, 1, bytes}});
    std::memmove(out, row, static_cast<std::size_t>(bytes));
  }
  call.count("dma_bytes", static_cast<std::uint64_t>(n * bytes));
}

void scatter(const char* name, void* dst, const void* src, const void* offsets, const void* mask, long bytes,
             int direction, long src_stride, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of rows") || !call.positive(bytes, "size")) {
    return;
  }
  const Space to = direction == 1 ? Space::gdram : direction == 16 ? Space::sram : Space::nram;
  if (direction != 1 && direction != 16 && direction != 8) {
    call.fail(kDirection, std::string(name) + ": a scatter reads NRAM and writes GDRAM, SRAM or NRAM");
  }
  call.reads(offsets, 4 * n, "the offsets");
  if (mask != nullptr) {
    call.reads(mask, (n + 7) / 8, "the mask");
    call.require(mask, (n + 7) / 8, "the mask");
  }
  for (long i = 0; i < n; ++i) {
    if (!bit(mask, i)) {
      continue;
    }
    call.require(static_cast<const std::byte*>(offsets) + 4 * i, 4, "the offsets");
    auto* row = static_cast<std::byte*>(dst) + get<std::uint32_t>(offsets, i);
    const auto* in = static_cast<const std::byte*>(src) + i * src_stride;
    call.reads(in, bytes, "src");
    call.require(in, bytes, "src");
    call.writes(row, bytes, "dst", to);
    note_shared(call.core(), row, bytes, true, std::memcmp(row, in, static_cast<std::size_t>(bytes)) != 0, name,
                call.place());
    call.settle(row, bytes);
    std::memmove(row, in, static_cast<std::size_t>(bytes));
  }
  call.count("dma_bytes", static_cast<std::uint64_t>(n * bytes));
}

bool is_space(char letter, const void* address) {
  return space_at(address) == space_named(letter);
}

bool is_mpu() {
  return machine().core() != nullptr && machine().core()->mpu;
}

void absent(const char* name) {
  machine().faults().add(kNotOnChip, PLACE, std::string(name) + ": the MLU370 has no such call");
  if (machine().core() != nullptr) {
    machine().abandon();
  }
}

void print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
}

void failed_assertion(const char* condition, const char* file, int line) {
  (void)file, (void)line;
  machine().fatal(kAssertion, PLACE, std::string("assertion failed: ") + condition);
}

}  // namespace tqm_bang
