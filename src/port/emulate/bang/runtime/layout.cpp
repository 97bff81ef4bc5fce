// Calls that only move elements about: transposition and turns, padding, the order of filters.
#include "port/emulate/bang/runtime/number.hpp"
#include "port/emulate/bang/runtime/operand.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

// dst[i] = src[from(i)], or zero where from gives -1.
template <class F>
void permute(Call& call, void* dst, long n, const void* src, long src_n, long size, F from) {
  call.reads(src, src_n * size, "src");
  call.writes(dst, n * size, "dst");
  call.apart(dst, n * size, src, src_n * size, kNeverSame);
  const auto* values = static_cast<const std::byte*>(call.source(src, src_n * size, dst, n * size));
  const bool all = call.initialised(src, src_n * size);
  std::vector<bool> known(all ? 0 : static_cast<std::size_t>(n), true);
  if (!all) {
    for (long i = 0; i < n; ++i) {
      const long at = from(i);
      known[static_cast<std::size_t>(i)] =
          at < 0 || call.initialised(static_cast<const std::byte*>(src) + at * size, size);
    }
  }
  auto* out = static_cast<std::byte*>(dst);
  for (long i = 0; i < n; ++i) {
    const long at = from(i);
    at < 0 ? static_cast<void>(std::memset(out + i * size, 0, static_cast<std::size_t>(size)))
           : static_cast<void>(std::memcpy(out + i * size, values + at * size, static_cast<std::size_t>(size)));
    if (!all) {
      call.settle(out + i * size, size, known[static_cast<std::size_t>(i)]);
    }
  }
  if (all) {
    call.settle(dst, n * size);
  }
  call.count("vector_ops", static_cast<std::uint64_t>(n));
  call.count("vector_bytes", static_cast<std::uint64_t>((n + src_n) * size));
}

}  // namespace

void turn(const char* name, Turn kind, Type type, void* dst, const void* src, long height, long width) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(height, "height") || !call.positive(width, "width")) {
    return;
  }
  permute(call, dst, height * width, src, height * width, size_of(type), [&](long i) {
    switch (kind) {
      case Turn::transpose:  // dst is width x height, as for the quarter turns
        return i % height * width + i / height;
      case Turn::rotate90:
        return (height - 1 - i % height) * width + i / height;
      case Turn::rotate270:
        return i % height * width + (width - 1 - i / height);
      case Turn::rotate180:
        return height * width - 1 - i;
      default:
        return i / width * width + (width - 1 - i % width);
    }
  });
}

void pad(const char* name, Type type, void* dst, const void* src, long channel, long height, long width, long top,
         long bottom, long left, long right) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(channel, "channel") || !call.positive(height, "height") ||
      !call.positive(width, "width")) {
    return;
  }
  const long out_width = left + width + right;
  const long out_height = top + height + bottom;
  call.check(height > 1 || (left + right) * channel * size_of(type) < 64, kArgument,
             "with a height of 1, less than 64 bytes may be padded along the width");
  permute(call, dst, out_height * out_width * channel, src, height * width * channel, size_of(type), [&](long i) {
    const long row = i / (out_width * channel) - top;
    const long column = i / channel % out_width - left;
    return row < 0 || row >= height || column < 0 || column >= width ? -1
                                                                     : (row * width + column) * channel + i % channel;
  });
}

// Output channel n goes to lane table n % 64: the tables' parts follow one another, as a plain copy to WRAM deals them
// out.
void reshape_filter(const char* name, Type type, void* dst, const void* src, long n, long h, long w, long c) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "n") || !call.positive(h * w * c, "h * w * c")) {
    return;
  }
  const long size = size_of(type);
  const long row = h * w * c;
  constexpr auto kTables = static_cast<long>(kLaneTables);
  call.check(n % kTables == 0, kAlignment, "n is " + std::to_string(n) + ", and must be a multiple of 64");
  call.check(row * size % 128 == 0, kAlignment,
             "h * w * c * sizeof is " + std::to_string(row * size) + ", and must be a multiple of 128");
  if (n % kTables != 0) {
    call.fail(kWramLayout, std::string(name) + ": " + std::to_string(n) + " output channels can't be dealt out");
  }
  const long slots = n / kTables;
  permute(call, dst, n * row, src, n * row, size, [&](long i) {
    const long table = i / (slots * row);
    const long slot = i / row % slots;
    return (slot * kTables + table) * row + i % row;
  });
  std::uint8_t* flags = machine().arena().flags(dst);
  for (long i = 0; i < n * row * size; ++i) {
    flags[i] = static_cast<std::uint8_t>(flags[i] | kFilterLayout);
  }
}

void reshape_layout(const char* name, bool to_nchw, Type type, void* dst, const void* src, long n, long h, long w,
                    long c) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n * h * w * c, "n * h * w * c")) {
    return;
  }
  const long size = size_of(type);
  call.check(h * w * size % 64 == 0 && c * size % 64 == 0, kAlignment,
             "h * w * sizeof and c * sizeof must be multiples of 64");
  const long area = h * w;
  permute(call, dst, n * area * c, src, n * area * c, size, [&](long i) {
    const long image = i / (area * c);
    const long rest = i % (area * c);
    return to_nchw ? (image * area + rest % area) * c + rest / area : (image * c + rest % c) * area + rest / c;
  });
}

}  // namespace tqm_bang
