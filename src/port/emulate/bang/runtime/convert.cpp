// Conversions between element types, with the roundings of the names and the powers of two of fix_position.
#include <cmath>

#include "port/emulate/bang/runtime/number.hpp"
#include "port/emulate/bang/runtime/operand.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

double to_whole(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::tz:
      return std::trunc(x);
    case Rounding::oz:
      return x < 0 ? std::floor(x) : std::ceil(x);
    case Rounding::up:
      return std::ceil(x);
    case Rounding::dn:
      return std::floor(x);
    case Rounding::rd:
      return std::round(x);
    case Rounding::rm:
      return std::floor(x + 0.5);
    default:
      return std::nearbyint(x);
  }
}

// To a float format, `exact` being any double: the two neighbours, and which of them the rounding takes.
template <class T>
T to_floating(double exact, Rounding rounding) {
  const T nearest = narrow<T>(exact);
  const auto value = static_cast<double>(wide(nearest));
  if (rounding == Rounding::rn || std::isnan(exact) || std::isinf(exact) || value == exact) {
    return nearest;
  }
  const auto step = [](T from, bool up) {  // to the next value of T in that direction
    const auto x = static_cast<double>(wide(from));
    if (x == 0) {
      const T least = from_bits<T>(1);
      return up ? least : narrow<T>(-static_cast<double>(wide(least)));
    }
    const unsigned long bits = bits_of(from);
    return from_bits<T>((x > 0) == up ? bits + 1 : bits - 1);
  };
  const T below = value < exact ? nearest : step(nearest, false);
  const T above = value < exact ? step(nearest, true) : nearest;
  switch (rounding) {
    case Rounding::tz:
      return exact > 0 ? below : above;
    case Rounding::oz:
      return exact > 0 ? above : below;
    case Rounding::up:
      return above;
    case Rounding::dn:
      return below;
    default: {
      const double to_below = exact - static_cast<double>(wide(below));
      const double to_above = static_cast<double>(wide(above)) - exact;
      if (to_below != to_above) {
        return nearest;
      }
      return rounding == Rounding::rm || exact > 0 ? above : below;  // rd takes the one farther from zero
    }
  }
}

template <class To>
To converted(double exact, Rounding rounding) {
  if constexpr (is_floating<To>) {
    return to_floating<To>(exact, rounding);
  } else {
    if (std::isnan(exact)) {
      return To{};
    }
    const double whole = to_whole(exact, rounding);
    constexpr auto low = static_cast<double>(std::numeric_limits<To>::min());
    constexpr auto high = static_cast<double>(std::numeric_limits<To>::max());
    if (whole <= low) {
      return std::numeric_limits<To>::min();
    }
    return whole >= high ? std::numeric_limits<To>::max() : static_cast<To>(whole);
  }
}

bool is_whole(Type type) {
  return type != Type::f32 && type != Type::f16 && type != Type::bf16;
}

}  // namespace

void convert(const char* name, Type to, Type from, Rounding rounding, void* dst, const void* src, long n,
             int dst_position, int src_position, long dst_stride, long src_stride, long count) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  call.check(dst_position >= -127 && dst_position <= 127 && src_position >= -127 && src_position <= 127, kArgument,
             "a fix_position outside -127 to 127");
  const long to_size = size_of(to);
  const long from_size = size_of(from);
  if (count >= 0) {
    call.check(dst_stride >= n * to_size && (src_stride == 0 || src_stride >= n * from_size), kArgument,
               "a stride shorter than its segment");
  }
  const double scale = std::ldexp(1.0, (is_whole(from) ? src_position : 0) - (is_whole(to) ? dst_position : 0));
  for (long segment = 0; segment <= std::max(count, 0L); ++segment) {
    auto* out = static_cast<std::byte*>(dst) + segment * dst_stride;
    const auto* in = static_cast<const std::byte*>(src) + segment * src_stride;
    call.reads(in, n * from_size, "src");
    call.writes(out, n * to_size, "dst");
    // What becomes wider would run into what is not read yet; only what keeps its size or shrinks may stay in place.
    call.apart(out, n * to_size, in, n * from_size, to_size <= from_size);
    const void* values = call.source(in, n * from_size, out, n * to_size);
    std::vector<std::byte> result(static_cast<std::size_t>(n * to_size));
    by_type(to, [&](auto to_sample) {
      using To = decltype(to_sample);
      by_type(from, [&](auto from_sample) {
        using From = decltype(from_sample);
        for (long i = 0; i < n; ++i) {
          const auto x = static_cast<double>(wide(get<From>(values, i)));
          put(result.data(), i, converted<To>(x * scale, rounding));
        }
      });
    });
    call.settle(out, n, to_size, {{in, from_size, n}});
    std::memcpy(out, result.data(), result.size());
  }
  const long elements = n * (std::max(count, 0L) + 1);
  call.count("vector_ops", static_cast<std::uint64_t>(elements));
  call.count("vector_bytes", static_cast<std::uint64_t>(elements * (to_size + from_size)));
}

unsigned long convert_scalar(Type to, Type from, Rounding rounding, unsigned long bits) {
  return by_type(to, [&](auto to_sample) {
    using To = decltype(to_sample);
    return by_type(from, [&](auto from_sample) {
      using From = decltype(from_sample);
      return bits_of(converted<To>(static_cast<double>(wide(from_bits<From>(bits))), rounding));
    });
  });
}

}  // namespace tqm_bang
