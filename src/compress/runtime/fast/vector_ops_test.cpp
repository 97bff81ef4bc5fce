// The operations between linear layers, of every instruction set that this CPU has, against double.
#include "compress/runtime/fast/vector_ops.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "base/cpu_features.hpp"
#include "tensor/dtype.hpp"

namespace tqm::compress::fast {
namespace {

std::vector<const VectorOps*> all_ops() {
  std::vector<const VectorOps*> all = {&generic::kVectorOps};
#if defined(__x86_64__)
  if (detected_features().avx2) all.push_back(&avx2::kVectorOps);
  if (detected_features().avx512) all.push_back(&avx512::kVectorOps);
#endif
  return all;
}

std::vector<float> random_floats(int64_t count, uint32_t seed, float span = 1) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31F * span;
  return values;
}

const std::vector<int64_t> kCounts = {1, 3, 8, 16, 17, 64, 100, 576};

TEST(VectorOps, RmsNorm) {
  for (const VectorOps* ops : all_ops()) {
    for (const int64_t count : kCounts) {
      const auto x = random_floats(count, 1), weight = random_floats(count, 2);
      std::vector<float> y(x.size());
      ops->rms_norm(x.data(), weight.data(), 1e-5F, count, y.data());
      double squares = 0;
      for (const float value : x) squares += static_cast<double>(value) * value;
      const double scale = 1 / std::sqrt(squares / static_cast<double>(count) + 1e-5);
      for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], x[i] * scale * weight[i], 1e-5) << count;
    }
  }
}

TEST(VectorOps, Bf16RoundsToNearestEven) {
  for (const VectorOps* ops : all_ops()) {
    for (const int64_t count : kCounts) {
      const auto x = random_floats(count, 3, 1e6F);
      std::vector<uint16_t> y(x.size());
      ops->to_bf16(x.data(), count, y.data());
      for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], tensor::float_to_bf16(x[i]));
    }
  }
}

TEST(VectorOps, CodesAreEqualOnAllInstructionSets) {
  for (const int64_t count : kCounts) {
    const auto x = random_floats(count, 4, 37);
    const size_t n = x.size();
    for (const VectorOps* ops : all_ops()) {
      std::vector<int8_t> bytes(n), expected(n);
      std::vector<int16_t> words(n);
      int32_t sum = 0, total = 0;
      const float scale = ops->to_int8(x.data(), count, bytes.data(), &sum);
      float most = 0;
      for (const float value : x) most = std::max(most, std::fabs(value));
      EXPECT_EQ(scale, most / 127.5F);
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(bytes[i], static_cast<int8_t>(std::clamp(std::nearbyint(x[i] / scale), -128.0F, 127.0F)));
        total += bytes[i];
      }
      EXPECT_EQ(sum, total);
      const float fine = ops->to_int16(x.data(), count, words.data());
      std::vector<int32_t> sums(n);
      ops->sums_int16(words.data(), count, 24, sums.data());
      for (size_t i = 0; i < n; ++i) EXPECT_NEAR(words[i] * fine, x[i], fine * 0.51F);
      for (size_t chunk = 0; chunk * 24 < n; ++chunk) {
        int32_t exact = 0;
        for (size_t i = chunk * 24; i < std::min(n, chunk * 24 + 24); ++i) exact += words[i];
        EXPECT_EQ(sums[chunk], exact);
      }
    }
  }
}

TEST(VectorOps, SiluTimes) {
  for (const VectorOps* ops : all_ops()) {
    for (const int64_t count : kCounts) {
      auto gate = random_floats(count, 5, 100);
      gate[0] = -1000;
      const auto before = gate, up = random_floats(count, 6);
      ops->silu_times(gate.data(), up.data(), count);
      for (size_t i = 0; i < gate.size(); ++i) {
        const double g = before[i], expected = g / (1 + std::exp(-g)) * up[i];
        EXPECT_NEAR(gate[i], expected, 1e-6 + std::fabs(expected) * 1e-6);
      }
    }
  }
}

TEST(VectorOps, RopeTurnsPairs) {
  for (const VectorOps* ops : all_ops()) {
    for (const int64_t half : {4, 16, 20, 32}) {
      auto x = random_floats(2 * half, 7);
      const auto before = x;
      std::vector<float> c, s;
      for (int64_t i = 0; i < half; ++i) {
        c.push_back(std::cos(static_cast<float>(i)));
        s.push_back(std::sin(static_cast<float>(i)));
      }
      ops->rope(x.data(), c.data(), s.data(), half);
      for (size_t i = 0; i < static_cast<size_t>(half); ++i) {
        const size_t j = i + static_cast<size_t>(half);
        EXPECT_NEAR(x[i], before[i] * c[i] - before[j] * s[i], 1e-6);
        EXPECT_NEAR(x[j], before[j] * c[i] + before[i] * s[i], 1e-6);
      }
    }
  }
}

TEST(VectorOps, AttentionEqualsDouble) {
  for (const VectorOps* ops : all_ops()) {
    for (const bool half : {false, true}) {
      for (const int64_t head_dim : {8, 20, 64, 128}) {
        const int64_t rows = 7, capacity = 48, stride = (head_dim + 15) / 16 * 16;
        const auto q = random_floats(rows * head_dim, 8, 3);
        std::vector<float> keys(static_cast<size_t>(capacity * head_dim)),
            values(static_cast<size_t>(capacity * stride));
        auto raw_keys = random_floats(capacity * head_dim, 9), raw_values = random_floats(capacity * head_dim, 10);
        std::vector<uint16_t> short_keys(keys.size()), short_values(values.size());
        const auto at = [](auto& from, int64_t i) -> auto& { return from[static_cast<size_t>(i)]; };
        for (int64_t p = 0; p < capacity; ++p) {
          for (int64_t d = 0; d < head_dim; ++d) {
            float &key = at(raw_keys, p * head_dim + d), &value = at(raw_values, p * head_dim + d);
            const int64_t place = (p / 16 * head_dim + d) * 16 + p % 16;
            at(short_keys, place) = tensor::float_to_bf16(key);
            at(short_values, p * stride + d) = tensor::float_to_bf16(value);
            if (half) {
              key = tensor::bf16_to_float(at(short_keys, place));
              value = tensor::bf16_to_float(at(short_values, p * stride + d));
            }
            at(keys, place) = key;
            at(values, p * stride + d) = value;
          }
        }
        std::vector<float> out(static_cast<size_t>(rows * head_dim)), scores(static_cast<size_t>(rows * capacity));
        AttentionCall call{};
        call.rows = rows;
        for (int64_t r = 0; r < rows; ++r) {
          call.q[r] = q.data() + r * head_dim;
          call.out[r] = out.data() + r * head_dim;
          call.lengths[r] = 1 + r * 6;
        }
        call.keys = half ? static_cast<const void*>(short_keys.data()) : keys.data();
        call.values = half ? static_cast<const void*>(short_values.data()) : values.data();
        call.half = half;
        call.head_dim = head_dim;
        call.value_stride = stride;
        call.scale = 0.5F;
        call.scores = scores.data();
        call.score_stride = capacity;
        ops->attend(call);
        for (int64_t r = 0; r < rows; ++r) {
          std::vector<double> weights;
          double total = 0;
          for (int64_t p = 0; p < call.lengths[r]; ++p) {
            double dot = 0;
            for (int64_t d = 0; d < head_dim; ++d)
              dot += static_cast<double>(call.q[r][d]) * at(raw_keys, p * head_dim + d);
            weights.push_back(std::exp(dot * 0.5));
            total += weights.back();
          }
          for (int64_t d = 0; d < head_dim; ++d) {
            double expected = 0;
            for (int64_t p = 0; p < call.lengths[r]; ++p) {
              expected += at(weights, p) / total * at(raw_values, p * head_dim + d);
            }
            EXPECT_NEAR(call.out[r][d], expected, 2e-5) << head_dim << " row " << r;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tqm::compress::fast
