#include "compress/model/quant.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "tensor/dtype.hpp"

namespace tqm::compress {
namespace {

using namespace tqm::tensor;

TEST(Quant, FormatNamesGoBothWays) {
  for (const char* name : {"int8-w8a8", "int8", "int4", "int3"}) {
    auto spec = parse_format(name);
    ASSERT_TRUE(spec);
    EXPECT_EQ(format_name(*spec), name);
  }
  EXPECT_TRUE(parse_format("int8-w8a8")->quantize_activations);
  EXPECT_EQ(parse_format("int3")->bits, 3);
}

TEST(Quant, UnknownFormatIsRefusedWithTheKnownOnes) {
  auto spec = parse_format("int5");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(spec.error().message(), "the number format \"int5\" is not known: known are: int8-w8a8, int8, int4, int3");
}

TEST(Quant, RoundedScalesFitBothHalves) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> exponent(-26, 17);
  for (int i = 0; i < 200000; ++i) {
    const float wanted = std::exp2(exponent(random));
    for (bool symmetric : {true, false}) {
      const float scale = round_scale(wanted, symmetric);
      ASSERT_GT(scale, 0.0f);
      ASSERT_EQ(f16_to_float(float_to_f16(scale)), scale) << wanted;
      ASSERT_EQ(bf16_to_float(float_to_bf16(scale)), scale) << wanted;
      ASSERT_EQ(round_scale(scale, symmetric), scale) << wanted;
      if (!symmetric)
        for (int steps = 0; steps < 16; ++steps) {
          const float minimum = -static_cast<float>(steps) * scale;
          ASSERT_EQ(f16_to_float(float_to_f16(minimum)), minimum) << wanted << " " << steps;
        }
      if (wanted > 0x1p-14f && wanted < 4000) {
        ASSERT_LE(std::fabs(scale - wanted), wanted * (symmetric ? 0x1p-8f : 0x1p-7f));
      }
    }
  }
  EXPECT_EQ(round_scale(0, true), 0.0f);
  EXPECT_EQ(round_scale(1e-30f, true), 0x1p-24f);
  EXPECT_EQ(round_scale(1e9f, true), 65280.0f);
  EXPECT_EQ(round_scale(1e9f, false), 4352.0f);
}

TEST(Quant, DequantisesByGroup) {
  QuantTensor tensor;
  tensor.spec = {4, 2, false, false};
  tensor.rows = 2;
  tensor.columns = 4;
  tensor.codes = {-8, 7, 0, 1, 2, 3, -4, 5};
  tensor.scales = {0.5f, 2, 1, 0.25f};
  tensor.zero_points = {-8, 0, 1, 1};
  EXPECT_EQ(tensor.groups(), 2);
  EXPECT_EQ(tensor.dequantize().floats(), (std::vector<float>{0, 7.5f, 0, 2, 1, 2, -1.25f, 1}));
  tensor.spec = {8, 0, true, true};
  tensor.scales = {1, 0.5f};
  tensor.zero_points.clear();
  EXPECT_EQ(tensor.dequantize().floats(), (std::vector<float>{-8, 7, 0, 1, 1, 1.5f, -2, 2.5f}));
}

}  // namespace
}  // namespace tqm::compress
