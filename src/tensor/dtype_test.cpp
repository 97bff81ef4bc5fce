#include "tensor/dtype.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

#include "tensor/host_tensor.hpp"

namespace tqm::tensor {
namespace {

// The definition, by arithmetic: sign, exponent, fraction.
double f16_by_definition(uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(DType, NamesAndWidthsAreThoseOfSafetensors) {
  EXPECT_EQ(safetensors_name(DType::bf16), "BF16");
  EXPECT_EQ(safetensors_name(DType::boolean), "BOOL");
  EXPECT_EQ(from_safetensors_name("F8_E4M3"), DType::f8_e4m3);
  EXPECT_EQ(from_safetensors_name("F4"), std::nullopt);
  EXPECT_EQ(size_of(DType::i64), 8u);
  EXPECT_EQ(size_of(DType::bf16), 2u);
}

TEST(DType, EveryFloat16SurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = f16_to_float(half);
    if ((bits & 0x7c00) == 0x7c00) {
      EXPECT_EQ(std::isnan(value), (bits & 0x3ff) != 0);
      EXPECT_EQ(std::isinf(value), (bits & 0x3ff) == 0);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(f16_to_float(float_to_f16(value))));
        continue;
      }
    } else {
      ASSERT_EQ(static_cast<double>(value), f16_by_definition(half)) << bits;
    }
    ASSERT_EQ(float_to_f16(value), half) << bits;
  }
}

TEST(DType, EveryBfloat16SurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = bf16_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(value))));
      continue;
    }
    ASSERT_EQ(float_to_bf16(value), bits);
  }
}

TEST(DType, HalvesRoundToNearestEven) {
  // Between every two neighbours: just below the middle goes down, just above goes up, the middle to the even one.
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = f16_to_float(static_cast<uint16_t>(bits)), high = f16_to_float(static_cast<uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;
    ASSERT_EQ(float_to_f16(middle), bits + (bits & 1)) << bits;
    ASSERT_EQ(float_to_f16(std::nextafter(middle, 0.0f)), bits) << bits;
    ASSERT_EQ(float_to_f16(-std::nextafter(middle, 1e9f)), 0x8000 | (bits + 1)) << bits;
  }
  for (uint32_t bits = 0; bits < 0x7f7f; ++bits) {
    const float middle = std::bit_cast<float>((bits << 16) | 0x8000u);
    ASSERT_EQ(float_to_bf16(middle), bits + (bits & 1));
    ASSERT_EQ(float_to_bf16(std::bit_cast<float>((bits << 16) | 0x7fffu)), bits);
    ASSERT_EQ(float_to_bf16(std::bit_cast<float>((bits << 16) | 0x8001u)), bits + 1);
  }
}

TEST(DType, OverflowIsInfinity) {
  EXPECT_EQ(float_to_f16(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_f16(-1e30f), 0xfc00);
  EXPECT_EQ(float_to_f16(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(float_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float_to_f16(1e-30f), 0);
  EXPECT_EQ(float_to_f16(-0.0f), 0x8000);
}

TEST(DType, Float8TakesTheNearestOfItsValues) {
  std::vector<float> values;
  for (uint32_t code = 0; code < 0x7f; ++code) {
    const auto byte = static_cast<std::byte>(code);
    float value = 0;
    to_float(DType::f8_e4m3, &byte, 1, &value);
    values.push_back(value);
    std::byte back{};
    from_float(DType::f8_e4m3, &value, 1, &back);
    ASSERT_EQ(back, byte);
  }
  EXPECT_EQ(values.back(), 448.0f);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponent(-11, 8.8f);
  for (int i = 0; i < 2000; ++i) {
    const float value = std::exp2(exponent(random));
    std::byte code{};
    from_float(DType::f8_e4m3, &value, 1, &code);
    ASSERT_LT(static_cast<size_t>(code), values.size());
    const float got = values[static_cast<size_t>(code)];
    for (float other : values) ASSERT_LE(std::fabs(got - value), std::fabs(other - value)) << value;
  }
}

TEST(HostTensor, ConvertsBetweenFloatingTypes) {
  std::vector<float> values(5000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 256) / 64 - 2;  // exact in both halves
  const HostTensor tensor = HostTensor::of_floats({50, 100}, values);
  EXPECT_EQ(tensor.to(DType::bf16).to(DType::f16).to(DType::f64).floats(), values);
  EXPECT_EQ(tensor.to(DType::f16).bytes.size(), 10000u);
  EXPECT_EQ(tensor.to(DType::f32).bytes.data(), tensor.bytes.data());
  EXPECT_EQ(shape_text(tensor.shape), "[50, 100]");
  EXPECT_EQ(shape_text({}), "[]");
}

TEST(HostTensor, ZerosAreZeroAndCanBeFilled) {
  std::byte* data = nullptr;
  HostTensor tensor = HostTensor::zeros(DType::f32, {2, 3}, &data);
  EXPECT_EQ(tensor.floats(), std::vector<float>(6));
  const float one = 1;
  std::copy_n(reinterpret_cast<const std::byte*>(&one), 4, data + 8);
  EXPECT_EQ(tensor.f32()[2], 1.0f);
}

}  // namespace
}  // namespace tqm::tensor
