// Every kernel that this CPU can run, against sums in double of exactly what the kernel was given, over shapes that
// fill no panel, no line and no block of rows.
#include "compress/runtime/fast/linear_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "compress/runtime/fast/packed_linear.hpp"
#include "compress/runtime/fast/prepared_input.hpp"

namespace tqm::compress::fast {
namespace {

using tensor::DType;
using tensor::HostTensor;

struct Shape {
  int64_t rows, outputs, columns, group;
  bool zeros;
};

std::vector<float> random_floats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31F;
  return values;
}

QuantTensor random_codes(const Shape& shape, int bits, bool activations, uint32_t seed) {
  std::mt19937 random(seed);
  const int span = 1 << bits;
  const auto code = [&] {
    return static_cast<int8_t>(static_cast<int>(random() % static_cast<uint32_t>(span)) - span / 2);
  };
  QuantTensor weight;
  weight.spec = {.bits = bits,
                 .group = static_cast<int>(shape.group),
                 .symmetric = !shape.zeros,
                 .quantize_activations = activations};
  weight.rows = shape.outputs;
  weight.columns = shape.columns;
  for (int64_t i = 0; i < shape.outputs * shape.columns; ++i) weight.codes.push_back(code());
  for (int64_t i = 0; i < shape.outputs * weight.groups(); ++i) {
    weight.scales.push_back(round_scale(0.01F + static_cast<float>(random() % 100) * 1e-4F, weight.spec.symmetric));
    if (shape.zeros) weight.zero_points.push_back(code());
  }
  return weight;
}

Weight weight_for(Kind kind, const Shape& shape, uint32_t seed) {
  const HostTensor plain_weight = HostTensor::of_floats(
      {shape.outputs, shape.columns}, random_floats(static_cast<size_t>(shape.outputs * shape.columns), seed));
  switch (kind) {
    case Kind::f32:
      return plain_weight;
    case Kind::f16:
      return plain_weight.to(DType::f16);
    case Kind::bf16:
      return plain_weight.to(DType::bf16);
    case Kind::w8a8:
      return random_codes({shape.rows, shape.outputs, shape.columns, 0, false}, 8, true, seed);
    case Kind::int8:
      return random_codes(shape, 8, false, seed);
    case Kind::int4:
      return random_codes(shape, 4, false, seed);
  }
  return plain_weight;
}

// ggml's blocks: any float16 as scale, one of them zero; minimums too where there are any.
BlockWeight random_blocks(const Shape& shape, int bits, bool minimums, uint32_t seed) {
  BlockWeight weight;
  weight.codes = random_codes({shape.rows, shape.outputs, shape.columns, 32, false}, bits, false, seed);
  const auto half = [](float value) { return tensor::f16_to_float(tensor::float_to_f16(value)); };
  std::vector<float>& scales = weight.codes.scales;
  const std::vector<float> offsets = random_floats(scales.size(), seed + 1);
  for (size_t i = 0; i < scales.size(); ++i) scales[i] = half(scales[i] * (i % 3 == 1 ? -1.3F : 1.1F));
  scales[0] = 0;
  for (size_t i = 0; i < scales.size() && minimums; ++i) weight.minimums.push_back(half(offsets[i] / 8));
  return weight;
}

std::vector<float> values_of(const BlockWeight& weight) {
  std::vector<float> values;
  for (size_t i = 0; i < weight.codes.codes.size(); ++i) {
    const auto code = static_cast<float>(weight.codes.codes[i]);
    const float scale = weight.codes.scales[i / 32];
    values.push_back(weight.minimums.empty() ? scale * code : scale * (code + 8) + weight.minimums[i / 32]);
  }
  return values;
}

// The largest error of a kernel, as a part of the sum of magnitudes that each result is made of.
double error_of(const LinearKernel& kernel, const PackedLinear& packed, const std::vector<float>& values,
                const std::vector<float>& bias, const Shape& shape, bool add) {
  EXPECT_EQ(packed.kind, kernel.kind);
  std::vector<float> x = random_floats(static_cast<size_t>(shape.rows * shape.columns), 9);
  for (int64_t k = 0; k < shape.columns && shape.rows > 2; ++k)
    x[static_cast<size_t>(shape.columns + k)] = 0;  // a silent token

  PreparedInput input(shape.rows, shape.columns, {packed.chunk});
  for (int64_t row = 0; row < shape.rows; ++row) {
    input.prepare(row, x.data() + row * shape.columns, generic::kVectorOps, {kernel.input});
  }
  const int64_t stride = packed.panels() * kPanel;
  std::vector<float> y(static_cast<size_t>(shape.rows * stride), 1.0F);
  const int64_t middle = packed.panels() / 2;
  const OutputView out{y.data(), stride, add};
  kernel.run(packed.view(), input.view(shape.rows, packed.chunk), 0, middle, out);
  kernel.run(packed.view(), input.view(shape.rows, packed.chunk), middle, packed.panels(), out);

  double worst = 0;
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t output = 0; output < shape.outputs; ++output) {
      double sum = bias[static_cast<size_t>(output)] + (add ? 1.0 : 0.0), magnitude = std::fabs(sum) + 1e-6;
      for (int64_t k = 0; k < shape.columns; ++k) {
        const double in = input.value(kernel.input, row, k);
        const double product = in * values[static_cast<size_t>(output * shape.columns + k)];
        sum += product;
        magnitude += std::fabs(product);
      }
      worst = std::max(worst, std::fabs(sum - y[static_cast<size_t>(row * stride + output)]) / magnitude);
    }
  }
  return worst;
}

double error_of(const LinearKernel& kernel, const Shape& shape, bool add) {
  const Weight weight = weight_for(kernel.kind, shape, 7);
  const std::vector<float> bias = random_floats(static_cast<size_t>(shape.outputs), 8);
  return error_of(kernel, pack_linear(weight, bias), plain(weight).floats(), bias, shape, add);
}

TEST(LinearKernels, BlocksOfGgmlEqualTheSumInDouble) {
  for (const LinearKernel& kernel : linear_kernels()) {
    if (!detected_features().cover(kernel.needs)) continue;
    if (kernel.kind != Kind::int8 && kernel.kind != Kind::int4) continue;
    for (const int64_t rows : {1, 2, 3, 4, 5, 8, 9, 17, 40}) {
      for (const int64_t columns : {32, 64, 96, 576}) {
        const Shape shape{rows, 35, columns, 32, false};
        const std::vector<float> bias = random_floats(35, 8);
        for (const bool minimums : {false, true}) {
          if (minimums && kernel.kind == Kind::int8) continue;
          const BlockWeight weight = random_blocks(shape, kernel.kind == Kind::int8 ? 8 : 4, minimums, 11);
          const double error = error_of(kernel, pack_blocks(weight, bias), values_of(weight), bias, shape, false);
          EXPECT_LT(error, kernel.needs.amx ? 0x1p-8 : 2e-6)
              << kernel.name << " rows " << rows << " columns " << columns << (minimums ? ", minimums" : "");
        }
      }
    }
  }
}

TEST(PackedLinear, BlocksOfGgmlComeBackAsTheyWere) {
  for (const auto& [bits, minimums] : {std::pair{8, false}, std::pair{4, false}, std::pair{4, true}}) {
    const BlockWeight weight = random_blocks({1, 37, 96, 32, false}, bits, minimums, 5);
    const PackedLinear packed = pack_blocks(weight);
    const std::vector<float> expected = values_of(weight);
    std::vector<float> row(96);
    for (size_t output = 0; output < 37; ++output) {
      packed.row(static_cast<int64_t>(output), row.data());
      for (size_t k = 0; k < 96; ++k) ASSERT_EQ(row[k], expected[output * 96 + k]) << bits << " " << output;
    }
    // 48 rows of 96 columns, three scales of two bytes a row, as many minimums.
    EXPECT_EQ(packed.bytes(), 48U * 128 * static_cast<unsigned>(bits) / 8 + 48U * 3 * 2 * (minimums ? 2 : 1));
  }
}

TEST(LinearKernels, EveryOneEqualsTheSumInDouble) {
  const CpuFeatures features = detected_features();
  const std::vector<Shape> shapes = {
      {1, 16, 64, 32, false},   {1, 40, 96, 32, true},    {2, 17, 192, 64, false},  {3, 33, 256, 128, true},
      {4, 48, 72, 0, false},    {5, 50, 200, 0, true},    {6, 20, 520, 0, false},   {7, 8, 128, 128, false},
      {8, 64, 144, 24, true},   {9, 31, 576, 64, true},   {12, 18, 320, 32, false}, {16, 35, 64, 64, false},
      {17, 40, 192, 96, true},  {31, 16, 100, 0, false},  {33, 80, 160, 32, true},  {49, 5, 8, 8, false},
      {65, 100, 288, 32, true}, {13, 24, 256, 256, true},
  };
  for (const LinearKernel& kernel : linear_kernels()) {
    if (!features.cover(kernel.needs)) continue;
    for (const Shape& shape : shapes) {
      if ((kernel.kind == Kind::int8 || kernel.kind == Kind::int4) && shape.columns % 8 != 0 && shape.group != 0)
        continue;
      // The tiles' unfolded codes are rounded to bf16.
      const bool rounded = kernel.needs.amx && kernel.kind != Kind::bf16 && kernel.kind != Kind::w8a8;
      for (const bool add : {false, true}) {
        EXPECT_LT(error_of(kernel, shape, add), rounded ? 0x1p-8 : 2e-6)
            << kernel.name << " rows " << shape.rows << " outputs " << shape.outputs << " columns " << shape.columns
            << " group " << shape.group;
      }
    }
  }
}

TEST(LinearKernels, EveryKindHasAGenericOneForAnyRows) {
  for (const Kind kind : {Kind::f32, Kind::f16, Kind::bf16, Kind::w8a8, Kind::int8, Kind::int4}) {
    for (const int64_t rows : {1, 8, 16, 512}) {
      const CpuFeatures none;
      const LinearKernel& kernel = choose_kernel(kind, rows, none);
      EXPECT_EQ(kernel.kind, kind);
      EXPECT_EQ(kernel.name, std::string(name(kind)) + " generic");
    }
  }
}

TEST(LinearKernels, IntegerSumsCannotOverflow) {
  // The largest codes and activations of one sign, over the widest sum.
  QuantTensor weight;
  weight.spec = {.bits = 8, .group = 0};
  weight.rows = 16;
  weight.columns = 512;
  weight.codes.assign(16 * 512, 127);
  weight.scales.assign(16, 1.0F);
  const PackedLinear packed = pack_linear(weight);
  PreparedInput input(1, 512, {packed.chunk});
  const std::vector<float> ones(512, 1.0F);
  for (const LinearKernel& kernel : linear_kernels()) {
    if (kernel.kind != Kind::int8 || !detected_features().cover(kernel.needs)) continue;
    input.prepare(0, ones.data(), generic::kVectorOps, {kernel.input});
    float y[16] = {};
    kernel.run(packed.view(), input.view(1, packed.chunk), 0, 1, {y, 16, false});
    for (const float value : y) EXPECT_NEAR(value, 127 * 512, 1.0F) << kernel.name;
  }
}

TEST(PackedLinear, RowsComeBackAsTheyWere) {
  for (const Kind kind : {Kind::f32, Kind::f16, Kind::bf16, Kind::w8a8, Kind::int8, Kind::int4}) {
    const Weight weight = weight_for(kind, {1, 37, 96, 32, true}, 3);
    const PackedLinear packed = pack_linear(weight);
    const std::vector<float> expected = plain(weight).floats();
    std::vector<float> row(96);
    for (int64_t output = 0; output < 37; ++output) {
      packed.row(output, row.data());
      for (int64_t k = 0; k < 96; ++k) {
        ASSERT_EQ(row[static_cast<size_t>(k)], expected[static_cast<size_t>(output * 96 + k)])
            << name(kind) << " " << output;
      }
    }
  }
}

TEST(PackedLinear, AGroupThatDoesNotDivideIsRefused) {
  const auto packed = pack_linear_as(weight_for(Kind::f32, {1, 16, 96, 0, false}, 1), Kind::int4, 64);
  ASSERT_FALSE(packed);
  EXPECT_NE(packed.error().message().find("groups of 64 do not divide a row of 96"), std::string::npos);
}

TEST(PackedLinear, FourBitsTakeHalfAByteAWeight) {
  const PackedLinear packed = pack_linear(weight_for(Kind::int4, {1, 160, 640, 32, false}, 1));
  EXPECT_EQ(packed.bytes(), 160U * 640 / 2 + 160U * 20 * 2);
}

TEST(CpuFeatures, UnknownLevelsAreRefusedByName) {
  const auto features = features_up_to("avx9");
  ASSERT_FALSE(features);
  EXPECT_NE(features.error().message().find("unknown instruction set \"avx9\""), std::string::npos);
  EXPECT_EQ(*features_up_to("generic"), CpuFeatures{});
}

}  // namespace
}  // namespace tqm::compress::fast
