#include "port/verify/element.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tqm::port {
namespace {

std::uint64_t bits_of(Element element, double value) {
  std::array<std::byte, 8> bytes{};
  put_value(element, value, bytes.data());
  return bits_at(element, bytes.data());
}

double value_of(Element element, std::uint64_t bits) {
  std::array<std::byte, 8> bytes{};
  put_bits(element, bits, bytes.data());
  return value_at(element, bytes.data());
}

TEST(Element, HalfsAreReadAsIeeeSays) {
  EXPECT_EQ(value_of(Element::f16, 0x3c00), 1.0);
  EXPECT_EQ(value_of(Element::f16, 0xc000), -2.0);
  EXPECT_EQ(value_of(Element::f16, 0x7bff), 65504.0);
  EXPECT_EQ(value_of(Element::f16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isinf(value_of(Element::f16, 0x7c00)));
  EXPECT_TRUE(std::isnan(value_of(Element::f16, 0x7e00)));
  EXPECT_EQ(value_of(Element::bf16, 0x3f80), 1.0);
  EXPECT_EQ(value_of(Element::bf16, 0x0001), std::ldexp(1.0, -133));
}

TEST(Element, EveryHalfAndBrainFloatComesBackAsItself) {
  for (const Element element : {Element::f16, Element::bf16})
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
      const double value = value_of(element, bits);
      if (std::isnan(value))
        ASSERT_TRUE(std::isnan(value_of(element, bits_of(element, value))));
      else
        ASSERT_EQ(bits_of(element, value), bits) << name(element) << " " << value;
    }
}

TEST(Element, RoundsTiesToEvenAndOverflowsToInfinity) {
  EXPECT_EQ(bits_of(Element::f16, 1 + std::ldexp(1.0, -11)), 0x3c00U);
  EXPECT_EQ(bits_of(Element::f16, 1 + 3 * std::ldexp(1.0, -11)), 0x3c02U);
  EXPECT_EQ(bits_of(Element::f16, 65519.99), 0x7bffU);
  EXPECT_EQ(bits_of(Element::f16, 65520), 0x7c00U);
  EXPECT_EQ(bits_of(Element::bf16, 1e39), 0x7f80U);
  EXPECT_EQ(bits_of(Element::f16, -0.0), 0x8000U);
}

TEST(Element, IntegersKeepEveryBit) {
  std::array<std::byte, 8> bytes{};
  put_integer(Element::i64, std::numeric_limits<std::int64_t>::min() + 1, bytes.data());
  EXPECT_EQ(text_at(Element::i64, bytes.data()), "-9223372036854775807");
  EXPECT_EQ(value_of(Element::i8, 0xff), -1.0);
  EXPECT_EQ(value_of(Element::u8, 0xff), 255.0);
  EXPECT_EQ(bits_of(Element::u64, 1e19), 10000000000000000000ULL);
}

TEST(Element, DistancesAreCountedInNeighbours) {
  EXPECT_EQ(steps_between(Element::f32, bits_of(Element::f32, 1.0), bits_of(Element::f32, 1.0) + 3), 3U);
  EXPECT_EQ(steps_between(Element::f32, bits_of(Element::f32, 0.0), bits_of(Element::f32, -0.0)), 0U);
  EXPECT_EQ(steps_between(Element::f16, 0x0001, 0x8002), 3U);
  EXPECT_EQ(ulp_of(Element::f32, 1.0), std::ldexp(1.0, -23));
  EXPECT_EQ(ulp_of(Element::f32, 0.0), std::ldexp(1.0, -149));
  EXPECT_EQ(ulp_of(Element::bf16, 3.0), std::ldexp(1.0, -6));
  EXPECT_EQ(ulp_of(Element::f64, -4.0), std::ldexp(1.0, -50));
}

TEST(Element, KnowsTheSpellingsOfCuda) {
  EXPECT_EQ(element_of_cuda_type("const float"), Element::f32);
  EXPECT_EQ(element_of_cuda_type("unsigned  long long"), Element::u64);
  EXPECT_EQ(element_of_cuda_type("__nv_bfloat16"), Element::bf16);
  EXPECT_EQ(element_of_cuda_type("float4"), std::nullopt);
  EXPECT_EQ(element_named("bf16"), Element::bf16);
  EXPECT_EQ(element_named("float"), std::nullopt);
}

TEST(Element, TextTellsNeighboursApart) {
  std::array<std::byte, 8> bytes{};
  put_bits(Element::f32, bits_of(Element::f32, 1.0) + 1, bytes.data());
  EXPECT_EQ(text_at(Element::f32, bytes.data()), "1.00000012");
  put_value(Element::f32, -0.0, bytes.data());
  EXPECT_EQ(text_at(Element::f32, bytes.data()), "-0");
  put_value(Element::f16, std::numeric_limits<double>::infinity(), bytes.data());
  EXPECT_EQ(text_at(Element::f16, bytes.data()), "inf");
}

}  // namespace
}  // namespace tqm::port
