#include "compress/quantize/round.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tqm::compress {
namespace {

TEST(Round, symmetric_scale_is_absmax_over_half_the_steps) {
  std::vector<float> values = {-7.5f, 1, 2, 3, 0.4f, -0.6f, 0, 7.5f};
  QuantTensor t = round_to_nearest({4, 0, true, false}, values.data(), 1, 8, ScaleRule::absmax);
  EXPECT_EQ(t.scales, std::vector<float>{1.0f});
  EXPECT_EQ(t.codes, (std::vector<int8_t>{-8, 1, 2, 3, 0, -1, 0, 7}));  // 7.5 has no code 8
}

TEST(Round, asymmetric_grid_covers_both_ends_and_keeps_zero) {
  std::vector<float> values = {0, 0.5f, 1, 15};
  QuantTensor t = round_to_nearest({4, 0, false, false}, values.data(), 1, 4, ScaleRule::absmax);
  EXPECT_EQ(t.scales[0], 1.0f);
  EXPECT_EQ(t.zero_points[0], -8);
  EXPECT_EQ(t.codes, (std::vector<int8_t>{-8, -8, -7, 7}));
}

TEST(Round, every_group_has_its_own_scale) {
  std::vector<float> values(64);
  for (size_t i = 0; i < 64; ++i) values[i] = (i < 32 ? 0.1f : 10.0f) * std::sin(static_cast<float>(i));
  QuantTensor t = round_to_nearest({4, 32, true, false}, values.data(), 1, 64, ScaleRule::absmax);
  ASSERT_EQ(t.scales.size(), 2u);
  EXPECT_GT(t.scales[1], 50 * t.scales[0]);
}

TEST(Round, a_group_of_zeros_stays_zero) {
  std::vector<float> values(32, 0.0f);
  for (bool symmetric : {true, false}) {
    QuantTensor t = round_to_nearest({4, 32, symmetric, false}, values.data(), 1, 32, ScaleRule::mse);
    std::vector<float> back(32, 1.0f);
    t.dequantize_row(0, back.data());
    EXPECT_EQ(back, values);
  }
}

TEST(Round, the_mse_rule_never_leaves_more_error_than_absmax) {
  std::vector<float> values(256);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i * i)) * (i % 50 == 0 ? 5.0f : 1.0f);
  for (int bits : {3, 4, 8})
    for (bool symmetric : {true, false}) {
      auto error = [&](ScaleRule rule) {
        QuantTensor t = round_to_nearest({bits, 64, symmetric, false}, values.data(), 2, 128, rule);
        double sum = 0;
        std::vector<float> row(128);
        for (int64_t r = 0; r < 2; ++r) {
          t.dequantize_row(r, row.data());
          for (size_t c = 0; c < 128; ++c) sum += std::pow(row[c] - values[static_cast<size_t>(r) * 128 + c], 2);
        }
        return sum;
      };
      EXPECT_LE(error(ScaleRule::mse), error(ScaleRule::absmax) * (1 + 1e-6)) << bits;
    }
}

TEST(Round, a_group_that_does_not_divide_is_refused_with_those_that_do) {
  EXPECT_TRUE(check_group({4, 64, true, false}, 576, "q_proj").ok());
  Status refused = check_group({4, 128, true, false}, 576, "q_proj");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(),
            "group 128 does not divide the width 576 (q_proj): use --group 32, 64, or 0 for one scale a row");
}

}  // namespace
}  // namespace tqm::compress
