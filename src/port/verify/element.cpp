#include "port/verify/element.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace tqm::port {
namespace {

struct Row {
  Element element;
  std::string_view name;
  std::size_t bytes;
  bool floating;
};
constexpr std::array<Row, 12> kRows = {{{Element::i8, "i8", 1, false},
                                        {Element::u8, "u8", 1, false},
                                        {Element::i16, "i16", 2, false},
                                        {Element::u16, "u16", 2, false},
                                        {Element::i32, "i32", 4, false},
                                        {Element::u32, "u32", 4, false},
                                        {Element::i64, "i64", 8, false},
                                        {Element::u64, "u64", 8, false},
                                        {Element::f16, "f16", 2, true},
                                        {Element::bf16, "bf16", 2, true},
                                        {Element::f32, "f32", 4, true},
                                        {Element::f64, "f64", 8, true}}};

const Row& row(Element element) {
  return kRows[static_cast<std::size_t>(element)];
}

struct Spelling {
  std::string_view cuda;
  Element element;
};
constexpr std::array<Spelling, 36> kSpellings = {{{"float", Element::f32},
                                                  {"double", Element::f64},
                                                  {"half", Element::f16},
                                                  {"__half", Element::f16},
                                                  {"at::Half", Element::f16},
                                                  {"c10::Half", Element::f16},
                                                  {"__nv_bfloat16", Element::bf16},
                                                  {"nv_bfloat16", Element::bf16},
                                                  {"at::BFloat16", Element::bf16},
                                                  {"c10::BFloat16", Element::bf16},
                                                  {"bool", Element::u8},
                                                  {"char", Element::i8},
                                                  {"signed char", Element::i8},
                                                  {"int8_t", Element::i8},
                                                  {"unsigned char", Element::u8},
                                                  {"uint8_t", Element::u8},
                                                  {"uchar", Element::u8},
                                                  {"short", Element::i16},
                                                  {"int16_t", Element::i16},
                                                  {"unsigned short", Element::u16},
                                                  {"uint16_t", Element::u16},
                                                  {"int", Element::i32},
                                                  {"int32_t", Element::i32},
                                                  {"unsigned int", Element::u32},
                                                  {"unsigned", Element::u32},
                                                  {"uint32_t", Element::u32},
                                                  {"uint", Element::u32},
                                                  {"long", Element::i64},
                                                  {"long long", Element::i64},
                                                  {"int64_t", Element::i64},
                                                  {"ptrdiff_t", Element::i64},
                                                  {"unsigned long", Element::u64},
                                                  {"unsigned long long", Element::u64},
                                                  {"uint64_t", Element::u64},
                                                  {"size_t", Element::u64},
                                                  {"std::size_t", Element::u64}}};

// significand and exponent widths of the 16-bit types
struct Narrow {
  int fraction;
  int bias;
};
constexpr Narrow kHalf = {10, 15};
constexpr Narrow kBrain = {7, 127};

double from_narrow(std::uint16_t bits, Narrow shape) {
  const int exponent_ones = (1 << (15 - shape.fraction)) - 1;
  const int exponent = (bits >> shape.fraction) & exponent_ones;
  const int fraction = bits & ((1 << shape.fraction) - 1);
  double value = 0;
  if (exponent == exponent_ones)
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - shape.bias - shape.fraction);
  else
    value = std::ldexp((1 << shape.fraction) + fraction, exponent - shape.bias - shape.fraction);
  return (bits & 0x8000) != 0 ? -value : value;
}

std::uint16_t to_narrow(double value, Narrow shape) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int infinity = ((1 << (15 - shape.fraction)) - 1) << shape.fraction;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1 << (shape.fraction - 1)));
  const double size = std::fabs(value);
  if (size == 0) return sign;
  if (std::isinf(size)) return static_cast<std::uint16_t>(sign | infinity);
  const int exponent = std::max(std::ilogb(size), 1 - shape.bias);
  // in units of the last place, rounded to even by the default mode; a carry runs into the exponent as it should
  const double units = std::nearbyint(std::ldexp(size, shape.fraction - exponent));
  if (exponent > shape.bias) return static_cast<std::uint16_t>(sign | infinity);
  const int code = static_cast<int>(units) + ((exponent + shape.bias - 1) << shape.fraction);
  return static_cast<std::uint16_t>(sign | std::min(code, infinity));
}

}  // namespace

std::string_view name(Element element) {
  return row(element).name;
}
std::size_t bytes_of(Element element) {
  return row(element).bytes;
}
bool is_floating(Element element) {
  return row(element).floating;
}

std::optional<Element> element_named(std::string_view word) {
  for (const Row& known : kRows)
    if (known.name == word) return known.element;
  return std::nullopt;
}

std::optional<Element> element_of_cuda_type(std::string_view spelling) {
  std::string plain;
  std::size_t at = 0;
  while (at < spelling.size()) {
    const std::size_t end = std::min(spelling.find(' ', at), spelling.size());
    const std::string_view word = spelling.substr(at, end - at);
    if (!word.empty() && word != "const" && word != "volatile") plain += (plain.empty() ? "" : " ") + std::string(word);
    at = end + 1;
  }
  for (const Spelling& known : kSpellings)
    if (known.cuda == plain) return known.element;
  return std::nullopt;
}

std::uint64_t bits_at(Element element, const std::byte* at) {
  std::uint64_t bits = 0;  // little-endian, as the machines that run this are
  std::memcpy(&bits, at, bytes_of(element));
  return bits;
}

void put_bits(Element element, std::uint64_t bits, std::byte* at) {
  std::memcpy(at, &bits, bytes_of(element));
}

double value_at(Element element, const std::byte* at) {
  const std::uint64_t bits = bits_at(element, at);
  switch (element) {
    case Element::i8:
      return static_cast<std::int8_t>(bits);
    case Element::i16:
      return static_cast<std::int16_t>(bits);
    case Element::i32:
      return static_cast<std::int32_t>(bits);
    case Element::i64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case Element::f16:
      return from_narrow(static_cast<std::uint16_t>(bits), kHalf);
    case Element::bf16:
      return from_narrow(static_cast<std::uint16_t>(bits), kBrain);
    case Element::f32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Element::f64:
      return std::bit_cast<double>(bits);
    case Element::u8:
    case Element::u16:
    case Element::u32:
    case Element::u64:
      break;
  }
  return static_cast<double>(bits);
}

void put_integer(Element element, std::int64_t value, std::byte* at) {
  if (is_floating(element)) return put_value(element, static_cast<double>(value), at);
  put_bits(element, static_cast<std::uint64_t>(value), at);
}

void put_value(Element element, double value, std::byte* at) {
  switch (element) {
    case Element::f16:
      return put_bits(element, to_narrow(value, kHalf), at);
    case Element::bf16:
      return put_bits(element, to_narrow(value, kBrain), at);
    case Element::f32:
      return put_bits(element, std::bit_cast<std::uint32_t>(static_cast<float>(value)), at);
    case Element::f64:
      return put_bits(element, std::bit_cast<std::uint64_t>(value), at);
    default:
      break;
  }
  constexpr double kBelow = 9223372036854775808.0;  // 2^63
  const double whole = std::isnan(value) ? 0 : std::trunc(value);
  if (whole >= kBelow) {  // only u64 holds it
    const double most = 18446744073709549568.0;
    return put_bits(element, static_cast<std::uint64_t>(std::min(whole, most)), at);
  }
  put_bits(element, static_cast<std::uint64_t>(static_cast<std::int64_t>(std::max(whole, -kBelow))), at);
}

FloatShape float_shape(Element element) {
  switch (element) {
    case Element::f16:
      return {11, -14, 65504};
    case Element::bf16:
      return {8, -126, from_narrow(0x7f7f, kBrain)};
    case Element::f32:
      return {24, -126, std::numeric_limits<float>::max()};
    default:
      return {53, -1022, std::numeric_limits<double>::max()};
  }
}

double ulp_of(Element element, double value) {
  const FloatShape shape = float_shape(element);
  const double size = std::fabs(value);
  const int exponent = size == 0 ? shape.least_exponent : std::max(std::ilogb(size), shape.least_exponent);
  return std::ldexp(1.0, exponent - shape.precision + 1);
}

std::uint64_t steps_between(Element element, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes_of(element) - 1);
  const bool a_below = (a & sign) != 0, b_below = (b & sign) != 0;
  const std::uint64_t a_size = a & (sign - 1), b_size = b & (sign - 1);
  if (a_below != b_below) return a_size + b_size;
  return a_size > b_size ? a_size - b_size : b_size - a_size;
}

std::string text_at(Element element, const std::byte* at) {
  const std::uint64_t bits = bits_at(element, at);
  switch (element) {
    case Element::i8:
    case Element::i16:
    case Element::i32:
      return fmt::format("{}", static_cast<std::int64_t>(value_at(element, at)));
    case Element::i64:
      return fmt::format("{}", static_cast<std::int64_t>(bits));
    case Element::f16:
    case Element::bf16:
      return fmt::format("{:.6g}", value_at(element, at));
    case Element::f32:
      return fmt::format("{:.9g}", value_at(element, at));
    case Element::f64:
      return fmt::format("{:.17g}", value_at(element, at));
    default:
      return fmt::format("{}", bits);
  }
}

}  // namespace tqm::port
