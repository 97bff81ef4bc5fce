// Reductions, extremes, counting, selection and table look-up.
#include <cmath>

#include "port/emulate/bang/runtime/number.hpp"
#include "port/emulate/bang/runtime/operand.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

template <class T>
bool is_set(T value) {
  return wide(value) != 0;
}

struct Found {
  double value = 0;
  long index = 0;
};

template <class T>
Found search(Extreme kind, const void* src, long n) {
  const bool absolute = kind == Extreme::fabsmax || kind == Extreme::fabsmin;
  const bool largest = kind == Extreme::max || kind == Extreme::argmax || kind == Extreme::fabsmax;
  Found found{0, -1};
  for (long i = 0; i < n; ++i) {
    auto x = static_cast<double>(wide(get<T>(src, i)));
    x = absolute ? std::fabs(x) : x;
    if (found.index < 0 || (largest ? x > found.value : x < found.value)) {
      found = {x, i};
    }
  }
  return found;
}

void count_vector(const Call& call, long n, long size) {
  call.count("vector_ops", static_cast<std::uint64_t>(n));
  call.count("vector_bytes", static_cast<std::uint64_t>(n * size));
}

}  // namespace

// Of 128 bytes the first element becomes the sum, the others stay.
void reduce_sum(const char* name, Type type, void* dst, const void* src, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  const long size = size_of(type);
  const long group = 128 / size;
  const long groups = (n + group - 1) / group;
  call.reads(src, n * size, "src");
  call.writes(dst, groups * 128, "dst");
  call.apart(dst, n * size, src, n * size, kMayBeSame);
  const void* from = call.source(src, n * size, dst, groups * 128);
  by_float(type, [&](auto sample) {
    using T = decltype(sample);
    for (long g = 0; g < groups; ++g) {
      float total = 0;
      const long end = std::min(n, (g + 1) * group);
      for (long i = g * group; i < end; ++i) {
        total += wide(get<T>(from, i));
      }
      const bool known = call.initialised(static_cast<const std::byte*>(src) + g * 128, (end - g * group) * size);
      put(dst, g * group, narrow<T>(static_cast<double>(total)));
      call.settle(static_cast<std::byte*>(dst) + g * 128, size, known);
    }
  });
  count_vector(call, n, size);
}

unsigned long sum(const char* name, Type type, const void* src, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return 0;
  }
  const long size = size_of(type);
  call.reads(src, n * size, "src");
  call.require(src, n * size, "src");
  count_vector(call, n, size);
  return by_float(type, [&](auto sample) {
    using T = decltype(sample);
    float total = 0;
    for (long i = 0; i < n; ++i) {
      total += wide(get<T>(src, i));
    }
    return bits_of(narrow<T>(static_cast<double>(total)));
  });
}

// The value, then the index in the next 8 bytes.
void extreme(const char* name, Extreme kind, Type type, void* dst, const void* src, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  const long size = size_of(type);
  call.reads(src, n * size, "src");
  call.writes(dst, size + 8, "dst");
  call.apart(dst, size + 8, src, n * size, kind != Extreme::max && kind != Extreme::min);
  by_float(type, [&](auto sample) {
    using T = decltype(sample);
    const Found found = search<T>(kind, src, n);
    const bool known = call.initialised(src, n * size);
    put(dst, 0, narrow<T>(found.value));
    const auto index = static_cast<std::uint64_t>(found.index);
    std::memcpy(static_cast<std::byte*>(dst) + size, &index, 8);
    call.settle(dst, size + 8, known);
  });
  count_vector(call, n, size);
}

unsigned long extreme_value(const char* name, Extreme kind, Type type, const void* src, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return 0;
  }
  const long size = size_of(type);
  call.reads(src, n * size, "src");
  call.require(src, n * size, "src");
  count_vector(call, n, size);
  return by_float(type, [&](auto sample) {
    using T = decltype(sample);
    return bits_of(narrow<T>(search<T>(kind, src, n).value));
  });
}

// dst, where it is given, holds the number in its first 4 bytes.
unsigned count(const char* name, Type type, void* dst, const void* src, long n, bool bits) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return 0;
  }
  const long size = size_of(type);
  const long bytes = bits ? (n + 7) / 8 : n * size;
  call.reads(src, bytes, "src");
  unsigned total = 0;
  if (bits) {
    for (long i = 0; i < n; ++i) {
      total += (static_cast<const unsigned char*>(src)[i / 8] >> (i % 8)) & 1u;
    }
  } else {
    total = by_type(type, [&](auto sample) {
      using T = decltype(sample);
      unsigned found = 0;
      for (long i = 0; i < n; ++i) {
        found += is_set(get<T>(src, i)) ? 1u : 0u;
      }
      return found;
    });
  }
  count_vector(call, n, size);
  if (dst == nullptr) {
    call.require(src, bytes, "src");
    return total;
  }
  call.writes(dst, 4, "dst");
  const bool known = call.initialised(src, bytes);
  put(dst, 0, total);
  call.settle(dst, 4, known);
  return total;
}

// All ones where there is none.
unsigned find(const char* name, Type type, void* dst, const void* src, long n, bool first) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return 0;
  }
  const long size = size_of(type);
  call.reads(src, n * size, "src");
  const unsigned place = by_type(type, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0; i < n; ++i) {
      const long at = first ? i : n - 1 - i;
      if (is_set(get<T>(src, at))) {
        return static_cast<unsigned>(at);
      }
    }
    return ~0u;
  });
  count_vector(call, n, size);
  if (dst == nullptr) {
    call.require(src, n * size, "src");
    return place;
  }
  call.writes(dst, 4, "dst");
  const bool known = call.initialised(src, n * size);
  put(dst, 0, place);
  call.settle(dst, 4, known);
  return place;
}

unsigned pick(const char* name, Pick kind, Type type, void* dst, const void* src, const void* mask, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return 0;
  }
  const long size = size_of(type);
  const bool by_bits = kind == Pick::filter_bits || kind == Pick::select_bits;
  const bool counted = kind == Pick::select || kind == Pick::select_bits;
  call.check(!by_bits || n % 8 == 0, kAlignment, std::to_string(n) + " elements: their number must be a multiple of 8");
  const long mask_bytes = by_bits ? (n + 7) / 8 : n * size;
  call.reads(src, n * size, "src");
  call.reads(mask, mask_bytes, "mask");
  call.require(mask, mask_bytes, "mask");
  std::vector<long> chosen;
  by_type(type, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0; i < n; ++i) {
      const bool taken =
          by_bits ? ((static_cast<const unsigned char*>(mask)[i / 8] >> (i % 8)) & 1) != 0 : is_set(get<T>(mask, i));
      if (taken) {
        chosen.push_back(i);
      }
    }
  });
  const long header = counted ? 128 : 0;
  const auto packed = static_cast<long>(chosen.size()) * size;
  const long padded = counted ? (packed + 127) / 128 * 128 : packed;
  count_vector(call, n, size);
  if (header + padded == 0) {
    return 0;
  }
  call.writes(dst, header + padded, "dst");
  call.apart(dst, header + padded, src, n * size, kMayBeSame);
  std::vector<std::byte> result(static_cast<std::size_t>(padded), std::byte{0});
  std::vector<bool> known(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto* from = static_cast<const std::byte*>(src) + chosen[i] * size;
    std::memcpy(result.data() + static_cast<long>(i) * size, from, static_cast<std::size_t>(size));
    known[i] = call.initialised(from, size);
  }
  auto* out = static_cast<std::byte*>(dst) + header;
  std::memcpy(out, result.data(), result.size());
  call.settle(out, padded);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!known[i]) {
      call.settle(out + static_cast<long>(i) * size, size, false);
    }
  }
  if (counted) {
    put(dst, 0, static_cast<std::uint32_t>(chosen.size()));
    call.settle(dst, 4);
  }
  return static_cast<unsigned>(chosen.size());
}

// A bit of the mask for every byte; where it is 0, dst stays.
void mask_move(const char* name, Type type, void* dst, const void* src, const void* mask, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  const long bytes = n * size_of(type);
  call.reads(src, bytes, "src");
  call.reads(mask, (bytes + 7) / 8, "mask");
  call.require(mask, (bytes + 7) / 8, "mask");
  call.writes(dst, bytes, "dst");
  for (long i = 0; i < bytes; ++i) {
    if (((static_cast<const unsigned char*>(mask)[i / 8] >> (i % 8)) & 1) != 0) {
      const auto* from = static_cast<const std::byte*>(src) + i;
      auto* to = static_cast<std::byte*>(dst) + i;
      call.settle(to, 1, call.initialised(from, 1));
      *to = *from;
    }
  }
  count_vector(call, n, size_of(type));
}

void look_up(const char* name, Type type, void* dst, const void* index, const void* table, long n, long entries) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements") ||
      !call.positive(entries, "the table's length")) {
    return;
  }
  const long size = size_of(type);
  call.check(entries % 64 == 0, kAlignment,
             "the table's length is " + std::to_string(entries) + ", and must be a multiple of 64");
  call.reads(index, n * size, "src");
  call.writes(dst, n * size, "dst");
  long beyond = -1;
  std::vector<std::byte> result(static_cast<std::size_t>(n * size));
  std::vector<bool> known(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i) {
    const auto* at = static_cast<const std::byte*>(index) + i * size;
    const bool sure = call.initialised(at, size);
    const auto entry = size == 2 ? get<std::uint16_t>(index, i) : static_cast<long>(get<std::uint32_t>(index, i));
    if (entry >= entries) {
      beyond = sure && beyond < 0 ? i : beyond;
      known[static_cast<std::size_t>(i)] = false;
      continue;
    }
    const auto* from = static_cast<const std::byte*>(table) + entry * size;
    call.reads(from, size, "table");
    std::memcpy(result.data() + i * size, from, static_cast<std::size_t>(size));
    known[static_cast<std::size_t>(i)] = sure && call.initialised(from, size);
  }
  call.check(beyond < 0, kOutOfBounds, "index " + std::to_string(beyond) + " is beyond the table");
  std::memcpy(dst, result.data(), result.size());
  for (long i = 0; i < n; ++i) {
    call.settle(static_cast<std::byte*>(dst) + i * size, size, known[static_cast<std::size_t>(i)]);
  }
  count_vector(call, n, 2 * size);
}

void increasing(const char* name, Type type, void* dst, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  call.writes(dst, n * size_of(type), "dst");
  by_type(type, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0; i < n; ++i) {
      put(dst, i, narrow<T>(static_cast<double>(i)));
    }
  });
  call.settle(dst, n * size_of(type));
  count_vector(call, n, size_of(type));
}

}  // namespace tqm_bang
