// Element types as the vector unit sees them. half and bfloat16_t are computed in float and rounded to nearest even
// after each operation, which gives the same as computing in them (24 bits are more than twice 11 and 8, and two).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tqm_bang.h>
#include <type_traits>

namespace tqm::port::bang {

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

float to_float(Half value);
float to_float(Bfloat value);
Half to_half(double value);  // one rounding, to nearest even
Bfloat to_bfloat(double value);

// Of a float or an integer, to what an operation computes in, and back.
template <class T>
auto wide(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    return to_float(value);
  } else {
    return value;
  }
}

template <class T>
using Wide = decltype(wide(T{}));

template <class T>
T narrow(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(value);
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return to_bfloat(value);
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
T narrow_same(Wide<T> value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(static_cast<double>(value));
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return to_bfloat(static_cast<double>(value));
  } else {
    return value;
  }
}

template <class T>
constexpr bool is_floating = std::is_same_v<T, float> || std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

// Memory may be unaligned for its type.
template <class T>
T get(const void* base, long index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + index * static_cast<long>(sizeof(T)), sizeof(T));
  return value;
}

template <class T>
void put(void* base, long index, T value) {
  std::memcpy(static_cast<char*>(base) + index * static_cast<long>(sizeof(T)), &value, sizeof(T));
}

template <class T>
T from_bits(unsigned long bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
unsigned long bits_of(T value) {
  unsigned long bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

inline long size_of(tqm_bang::Type type) {
  using tqm_bang::Type;
  switch (type) {
    case Type::i8:
    case Type::u8:
      return 1;
    case Type::f16:
    case Type::bf16:
    case Type::i16:
    case Type::u16:
      return 2;
    case Type::i64:
    case Type::u64:
      return 8;
    default:
      return 4;
  }
}

// function(T{}) with the type's T.
template <class F>
auto by_type(tqm_bang::Type type, F function) {
  using tqm_bang::Type;
  switch (type) {
    case Type::f16:
      return function(Half{});
    case Type::bf16:
      return function(Bfloat{});
    case Type::i8:
      return function(std::int8_t{});
    case Type::u8:
      return function(std::uint8_t{});
    case Type::i16:
      return function(std::int16_t{});
    case Type::u16:
      return function(std::uint16_t{});
    case Type::i32:
      return function(std::int32_t{});
    case Type::u32:
      return function(std::uint32_t{});
    case Type::i64:
      return function(std::int64_t{});
    case Type::u64:
      return function(std::uint64_t{});
    default:
      return function(float{});
  }
}

template <class F>
auto by_float(tqm_bang::Type type, F function) {
  switch (type) {
    case tqm_bang::Type::f16:
      return function(Half{});
    case tqm_bang::Type::bf16:
      return function(Bfloat{});
    default:
      return function(float{});
  }
}

}  // namespace tqm::port::bang
