// Atomics on GDRAM. Cores run one at a time, so each is whole by itself; the order of cores is an option.
#include "port/emulate/bang/runtime/number.hpp"
#include "port/emulate/bang/runtime/operand.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

template <class T>
T combined(Atomic op, T old, T value) {
  const auto a = wide(old);
  const auto b = wide(value);
  switch (op) {
    case Atomic::add:
      if constexpr (is_floating<T>) {
        return narrow<T>(static_cast<double>(a + b));
      } else {
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
      }
    case Atomic::inc:
      return narrow<T>(a >= b ? 0.0 : static_cast<double>(a) + 1);
    case Atomic::dec:
      return narrow<T>(a == 0 || a > b ? static_cast<double>(b) : static_cast<double>(a) - 1);
    case Atomic::max:
      return a > b ? old : value;
    case Atomic::min:
      return a < b ? old : value;
    case Atomic::bit_and:
      return from_bits<T>(bits_of(old) & bits_of(value));
    case Atomic::bit_or:
      return from_bits<T>(bits_of(old) | bits_of(value));
    case Atomic::bit_xor:
      return from_bits<T>(bits_of(old) ^ bits_of(value));
    default:
      return value;
  }
}

void check_target(Call& call, void* target, long n, long size) {
  call.check(reinterpret_cast<std::uintptr_t>(target) % static_cast<std::uintptr_t>(size) == 0, kAlignment,
             "the address in GDRAM is not aligned to its element");
  call.reads(target, n * size, "the memory it changes", Space::gdram);
  call.require(target, n * size, "the memory it changes");
}

}  // namespace

void atomic(const char* name, Atomic op, Type type, void* old, void* target, const void* values, unsigned long scalar,
            long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "size")) {
    return;
  }
  const long size = size_of(type);
  check_target(call, target, n, size);
  if (values != nullptr) {
    call.reads(values, n * size, "the values");
    call.require(values, n * size, "the values");
  }
  if (old != nullptr) {
    call.writes(old, n * size, "dst");
  }
  by_type(type, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0; i < n; ++i) {
      const T value = values == nullptr ? from_bits<T>(scalar) : get<T>(values, i);
      const T before = get<T>(target, i);
      put(target, i, combined(op, before, value));
      if (old != nullptr) {
        put(old, i, before);
      }
    }
  });
  call.settle(target, n * size);
  if (old != nullptr) {
    call.settle(old, n * size);
  }
  call.count("vector_ops", static_cast<std::uint64_t>(n));
  call.count("dma_bytes", static_cast<std::uint64_t>(2 * n * size));
}

void atomic_cas(const char* name, Type type, void* old, void* target, unsigned long compare, unsigned long value) {
  Call call(name, PLACE);
  if (!call.computes()) {
    return;
  }
  const long size = size_of(type);
  check_target(call, target, 1, size);
  if (old != nullptr) {
    call.writes(old, size, "dst");
  }
  by_type(type, [&](auto sample) {
    using T = decltype(sample);
    const T before = get<T>(target, 0);
    if (wide(before) == wide(from_bits<T>(compare))) {
      put(target, 0, from_bits<T>(value));
    }
    if (old != nullptr) {
      put(old, 0, before);
      call.settle(old, size);
    }
  });
  call.settle(target, size);
  call.count("dma_bytes", static_cast<std::uint64_t>(2 * size));
}

}  // namespace tqm_bang
