#include "tensor/dtype.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/result.hpp"

namespace tqm::tensor {
namespace {

struct Row {
  DType dtype;
  size_t size;
  std::string_view name;
};

constexpr std::array kRows = {
    Row{DType::f64, 8, "F64"},   Row{DType::f32, 4, "F32"},         Row{DType::f16, 2, "F16"},
    Row{DType::bf16, 2, "BF16"}, Row{DType::f8_e4m3, 1, "F8_E4M3"}, Row{DType::i64, 8, "I64"},
    Row{DType::i32, 4, "I32"},   Row{DType::i16, 2, "I16"},         Row{DType::i8, 1, "I8"},
    Row{DType::u8, 1, "U8"},     Row{DType::boolean, 1, "BOOL"},
};

const Row& row_of(DType dtype) {
  const Row& row = kRows[static_cast<size_t>(dtype)];
  ASSERT(row.dtype == dtype);
  return row;
}

// Float8 of Open Compute's E4M3: no infinity, 0x7f and 0xff are NaN, the largest is 448.
float f8_to_float(uint8_t bits) {
  const int exponent = (bits >> 3) & 15, mantissa = bits & 7;
  float magnitude;
  if (exponent == 15 && mantissa == 7)
    magnitude = std::numeric_limits<float>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(mantissa), -9);
  else
    magnitude = std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  return bits & 0x80 ? -magnitude : magnitude;
}

// Round to nearest even; beyond the largest value NaN, as LibTorch does.
uint8_t float_to_f8(float value) {
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  const float magnitude = std::fabs(value);
  if (!(magnitude <= 464)) return sign | 0x7f;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude in [2^(exponent−1), 2^exponent)
  const int step = magnitude == 0 || exponent - 4 < -9 ? -9 : exponent - 4;
  const int units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -step)));
  if (units == 0) return sign;
  // units · 2^step with units ≤ 16; from 8 on the exponent field counts, and a carry to 16 moves into it.
  const int code = step == -9 ? units : ((step + 9) << 3) + units;
  return static_cast<uint8_t>(sign | (code >= 0x7f ? 0x7e : code));
}

template <class Bits, class Convert>
void widen(const std::byte* from, size_t count, float* to, Convert convert) {
  for (size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, from + i * sizeof(Bits), sizeof(Bits));
    to[i] = convert(bits);
  }
}

template <class Convert>
void narrow(const float* from, size_t count, std::byte* to, Convert convert) {
  for (size_t i = 0; i < count; ++i) {
    const auto bits = convert(from[i]);
    std::memcpy(to + i * sizeof(bits), &bits, sizeof(bits));
  }
}

// Inline forms without a branch on the value, so that the loops above become vector code.
inline float from_f16(uint16_t bits) {
  const uint32_t rest = bits & 0x7fffu, sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t normal = (rest << 13) + (112u << 23);
  const uint32_t special = (rest << 13) + (224u << 23);
  const uint32_t subnormal = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(rest)) * 0x1p-24f);
  return std::bit_cast<float>(sign | (rest < 0x0400 ? subnormal : rest < 0x7c00 ? normal : special));
}

inline uint16_t to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), rest = bits & 0x7fffffffu;
  const uint32_t normal = (rest - (112u << 23) + 0xfffu + ((rest >> 13) & 1u)) >> 13;
  // 0.5's last place is 2^-24, the step of float16's subnormals: the addition rounds there, to nearest even.
  const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(rest) + 0.5f) - 0x3f000000u;
  const uint32_t special = rest > 0x7f800000u ? 0x7e00u | ((rest >> 13) & 0x3ffu) : 0x7c00u;
  const uint32_t magnitude = rest < 0x38800000u ? subnormal : rest < 0x47800000u ? normal : special;
  return static_cast<uint16_t>(magnitude | ((bits >> 16) & 0x8000u));
}

inline float from_bf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet_nan = (bits >> 16) | 0x40u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded);
}

}  // namespace

size_t size_of(DType dtype) {
  return row_of(dtype).size;
}

std::string_view safetensors_name(DType dtype) {
  return row_of(dtype).name;
}

std::optional<DType> from_safetensors_name(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

float f16_to_float(uint16_t bits) {
  return from_f16(bits);
}
float bf16_to_float(uint16_t bits) {
  return from_bf16(bits);
}
uint16_t float_to_f16(float value) {
  return to_f16(value);
}
uint16_t float_to_bf16(float value) {
  return to_bf16(value);
}

bool is_floating(DType dtype) {
  return dtype == DType::f64 || dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16 ||
         dtype == DType::f8_e4m3;
}

void to_float(DType dtype, const std::byte* from, size_t count, float* to) {
  ASSERT(is_floating(dtype));
  switch (dtype) {
    case DType::f32:
      if (count) std::memcpy(to, from, count * sizeof(float));
      break;
    case DType::f64:
      widen<double>(from, count, to, [](double value) { return static_cast<float>(value); });
      break;
    case DType::f16:
      widen<uint16_t>(from, count, to, from_f16);
      break;
    case DType::bf16:
      widen<uint16_t>(from, count, to, from_bf16);
      break;
    default:
      widen<uint8_t>(from, count, to, f8_to_float);
  }
}

void from_float(DType dtype, const float* from, size_t count, std::byte* to) {
  ASSERT(is_floating(dtype));
  switch (dtype) {
    case DType::f32:
      if (count) std::memcpy(to, from, count * sizeof(float));
      break;
    case DType::f64:
      narrow(from, count, to, [](float value) { return static_cast<double>(value); });
      break;
    case DType::f16:
      narrow(from, count, to, to_f16);
      break;
    case DType::bf16:
      narrow(from, count, to, to_bf16);
      break;
    default:
      narrow(from, count, to, float_to_f8);
  }
}

}  // namespace tqm::tensor
