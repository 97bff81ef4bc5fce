#include "compress/format/layer_codec.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "compress/model/packed_integers.hpp"

namespace tqm::compress {
namespace {

QuantTensor random_layer(const QuantSpec& spec, int64_t rows, int64_t columns, uint64_t seed) {
  std::mt19937_64 random(seed);
  QuantTensor layer;
  layer.spec = spec;
  layer.rows = rows;
  layer.columns = columns;
  const auto code = [&] {
    const auto half = static_cast<int64_t>(1) << (spec.bits - 1);
    return static_cast<int8_t>(static_cast<int64_t>(random() % static_cast<uint64_t>(2 * half)) - half);
  };
  for (int64_t i = 0; i < rows * columns; ++i) layer.codes.push_back(code());
  for (int64_t i = 0; i < rows * layer.groups(); ++i) {
    const double exponent = static_cast<double>(random() % 3000) / 100 - 22;
    layer.scales.push_back(round_scale(static_cast<float>(std::exp2(exponent)), spec.symmetric));
    if (!spec.symmetric) layer.zero_points.push_back(code());
  }
  return layer;
}

struct Shape {
  int64_t rows, columns;
};

TEST(LayerCodec, CompressedTensorsGivesBackWhatWentIn) {
  uint64_t seed = 1;
  for (int bits : {3, 4, 8})
    for (int group : {0, 32, 64, 128})
      for (bool symmetric : {true, false})
        for (const Shape& shape : {Shape{1, 128}, Shape{5, 384}, Shape{33, 128}, Shape{64, 256}}) {
          const QuantSpec spec{bits, group, symmetric, false};
          const QuantTensor layer = random_layer(spec, shape.rows, shape.columns, seed++);
          auto parts = encode_layer("x.weight", layer);
          ASSERT_TRUE(parts) << parts.error().message();
          const auto described = describe_layer("x.weight", shape.rows, shape.columns, spec);
          ASSERT_EQ(parts->size(), described.size());
          for (size_t i = 0; i < described.size(); ++i) {
            EXPECT_EQ((*parts)[i].name, described[i].name);
            EXPECT_EQ((*parts)[i].tensor.dtype, described[i].dtype);
            EXPECT_EQ((*parts)[i].tensor.shape, described[i].shape);
          }
          EXPECT_EQ(decode_layer(*parts, spec), layer) << bits << " " << group << " " << symmetric;
        }
  const QuantTensor layer = random_layer({8, 0, true, true}, 7, 48, seed);
  auto parts = encode_layer("x.weight", layer);
  ASSERT_TRUE(parts);
  EXPECT_EQ((*parts)[0].name, "x.weight");
  EXPECT_EQ(decode_layer(*parts, layer.spec), layer);
}

TEST(LayerCodec, WidthsThatFillNoWordAreHeld) {
  for (int64_t columns : {1, 7, 10, 11, 21, 31, 33, 65})
    for (int bits : {3, 4, 8}) {
      const QuantTensor layer = random_layer({bits, 0, false, false}, 9, columns, static_cast<uint64_t>(columns));
      auto parts = encode_layer("x.weight", layer);
      ASSERT_TRUE(parts);
      EXPECT_EQ(decode_layer(*parts, layer.spec), layer);
    }
}

TEST(LayerCodec, PackingIsLeastSignificantBitFirst) {
  // Codes −4 … 3 plus 4 are 0 … 7: three bits each, 0b…_010_001_000 in the first word, the eleventh code across the
  // boundary.
  std::vector<int8_t> codes = {-4, -3, -2, -1, 0, 1, 2, 3, -4, -3, -2, -1};
  std::vector<int32_t> words(2);
  ASSERT_EQ(packed_words(12, 3), 2);
  pack_integers(codes.data(), 12, 1, 3, words.data(), 1);
  uint64_t expected = 0;
  for (size_t i = 0; i < codes.size(); ++i) expected |= static_cast<uint64_t>(codes[i] + 4) << (3 * i);
  EXPECT_EQ(static_cast<uint32_t>(words[0]), static_cast<uint32_t>(expected));
  EXPECT_EQ(static_cast<uint32_t>(words[1]), static_cast<uint32_t>(expected >> 32));
}

TEST(LayerCodec, GgufBlocksGiveBackWhatWentInBitForBit) {
  uint64_t seed = 100;
  for (const QuantSpec& base :
       {QuantSpec{8, 0, true, false}, QuantSpec{4, 0, true, false}, QuantSpec{4, 0, false, false}})
    for (int group : {0, 32, 64, 128})
      for (const Shape& shape : {Shape{1, 128}, Shape{5, 384}, Shape{32, 256}}) {
        QuantSpec spec = base;
        spec.group = group;
        const QuantTensor layer = random_layer(spec, shape.rows, shape.columns, seed++);
        auto bytes = encode_blocks(layer);
        ASSERT_TRUE(bytes) << bytes.error().message();
        auto back = decode_blocks(*bytes, shape.rows, shape.columns, spec);
        ASSERT_TRUE(back) << back.error().message();
        EXPECT_EQ(*back, layer);
        // The blocks as anybody dequantises them are the plain form's values.
        const GgmlType* type = ggml_type_for(spec);
        std::vector<float> values(static_cast<size_t>(shape.rows * shape.columns));
        type->decode(bytes->data(), shape.rows * shape.columns / 32, values.data());
        EXPECT_EQ(values, layer.dequantize().floats());
      }
}

TEST(LayerCodec, ScalesThatAFormCannotHoldAreRefused) {
  QuantTensor layer = random_layer({4, 0, true, false}, 2, 32, 5);
  layer.scales[1] = 1.0001f;
  auto parts = encode_layer("x.weight", layer);
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().what, "a scale of \"x.weight\" is not a bfloat16");
  auto blocks = encode_blocks(layer);
  ASSERT_FALSE(blocks);
  EXPECT_EQ(blocks.error().what, "a scale is not a float16");
  layer = random_layer({4, 0, false, false}, 1, 32, 6);
  layer.scales[0] = 1.0f + 0x1p-8f;  // a float16, but 15 of it is not
  layer.zero_points[0] = 7;
  blocks = encode_blocks(layer);
  ASSERT_FALSE(blocks);
  EXPECT_EQ(blocks.error().what, "a group's minimum is not a float16");
}

TEST(LayerCodec, BlocksThatDifferWithinAGroupAreRefused) {
  auto bytes = encode_blocks(random_layer({8, 32, true, false}, 1, 64, 8));
  ASSERT_TRUE(bytes);
  auto layer = decode_blocks(*bytes, 1, 64, {8, 64, true, false});
  ASSERT_FALSE(layer);
  EXPECT_EQ(layer.error().what, "the blocks of one group differ in scale");
}

TEST(LayerCodec, RoundingToQ8IsNearestOnTheBlocksOwnGrid) {
  std::mt19937 random(3);
  std::normal_distribution<float> bell;
  for (int i = 0; i < 200; ++i) {
    float values[32], back[32];
    for (float& value : values) value = bell(random);
    std::byte block[34];
    round_to_q8_0(values, block);
    find_ggml_type(ggml::kQ8_0)->decode(block, 1, back);
    float largest = 0;
    for (float value : values) largest = std::max(largest, std::fabs(value));
    for (int j = 0; j < 32; ++j) EXPECT_LE(std::fabs(values[j] - back[j]), largest / 127 * 0.57f);
  }
  const float zeros[32] = {};
  std::byte block[34];
  round_to_q8_0(zeros, block);
  for (std::byte byte : block) EXPECT_EQ(byte, std::byte{0});
}

}  // namespace
}  // namespace tqm::compress
