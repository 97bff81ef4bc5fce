#include "port/emulate/bang/runtime/number.hpp"

namespace tqm::port::bang {

namespace {

// A double to a binary format of `digits` significant bits (the hidden one with them) and exponents from `lowest`, the
// least of a normal number, to `highest`; its bits, rounded to nearest even. Overflow is infinite.
std::uint32_t round_to(double value, int digits, int lowest, int highest, int exponent_bits) {
  const std::uint32_t sign = std::signbit(value) ? 1u << (exponent_bits + digits - 1) : 0u;
  const std::uint32_t infinity = ((1u << exponent_bits) - 1) << (digits - 1);
  if (std::isnan(value)) {
    return sign | infinity | 1u << (digits - 2);
  }
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) {
    return sign | infinity;
  }
  if (magnitude == 0) {
    return sign;
  }
  int exponent = std::ilogb(magnitude);
  if (exponent < lowest) {
    exponent = lowest;
  }
  // In units of the last place; nearbyint rounds to nearest even.
  double units = std::nearbyint(std::scalbn(magnitude, digits - 1 - exponent));
  const double full = std::scalbn(1.0, digits);
  if (units >= full) {
    units /= 2;
    ++exponent;
  }
  if (exponent > highest) {
    return sign | infinity;
  }
  const auto mantissa = static_cast<std::uint32_t>(units);
  const std::uint32_t hidden = 1u << (digits - 1);
  if (mantissa < hidden) {  // subnormal
    return sign | mantissa;
  }
  return sign | static_cast<std::uint32_t>(exponent - lowest + 1) << (digits - 1) | (mantissa - hidden);
}

}  // namespace

float to_float(Half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fu;
  const std::uint32_t mantissa = value.bits & 0x3ffu;
  if (exponent == 0x1f) {
    return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  }
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

float to_float(Bfloat value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

Half to_half(double value) {
  return {static_cast<std::uint16_t>(round_to(value, 11, -14, 15, 5))};
}

Bfloat to_bfloat(double value) {
  return {static_cast<std::uint16_t>(round_to(value, 8, -126, 127, 8))};
}

}  // namespace tqm::port::bang
