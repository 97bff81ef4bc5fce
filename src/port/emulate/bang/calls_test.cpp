// The meaning of the calls, on small cases worked out by hand or by a formula; kernels in
// tests/cases/port/bang/calls.mlu.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "port/emulate/bang/side_for_tests.hpp"

namespace tqm::port::bang {
namespace {

class Calls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::vector<std::pair<std::string, std::string>> more;
    for (const char* name : {"rounding_tz",    "rounding_oz",   "rounding_up",    "rounding_dn",    "rounding_rd",
                             "rounding_rm",    "rounding_rn",   "halves_tz",      "halves_up",      "halves_rd",
                             "halves_rn",      "pool_sum",      "pool_avg",       "pool_max",       "pool_min",
                             "turn_transpose", "turn_rotate90", "turn_rotate180", "turn_rotate270", "turn_mirror"}) {
      more.emplace_back(name, name);
    }
    auto side = SideForTests::compile("calls.mlu", more);
    ASSERT_TRUE(side.ok()) << side.error().what;
    side_ = new SideForTests(std::move(side).take());
  }
  static void TearDownTestSuite() { delete side_; }

  static std::vector<float> run(const std::string& kernel, Shape shape = {.elements = 64},
                                const std::vector<std::string>& options = {}) {
    const Outcome outcome = side_->run(kernel, shape, options);
    EXPECT_TRUE(outcome.result.ran) << kernel;
    for (const Fault& fault : outcome.result.faults) {
      ADD_FAILURE() << kernel << ":" << fault.line << ": " << fault.kind << ": " << fault.text;
    }
    return outcome.out;
  }

  static void expect(const std::string& kernel, const std::vector<float>& expected, Shape shape = {.elements = 64}) {
    const std::vector<float> out = run(kernel, shape);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(out[i], expected[i]) << kernel << " at " << i;
    }
  }

  static void expect(const std::string& kernel, int count, const std::function<double(int)>& value,
                     Shape shape = {.elements = 64}) {
    std::vector<float> expected;
    for (int i = 0; i < count; ++i) {
      expected.push_back(static_cast<float>(value(i)));
    }
    expect(kernel, expected, shape);
  }

  static SideForTests* side_;
};
SideForTests* Calls::side_ = nullptr;

TEST_F(Calls, Arithmetic) {
  expect("arithmetic", 64, [](int i) { return (1.5 * i - 1) * (i % 4); });
  expect("comparison", 64, [](int i) { return (i >= 3 && i < 8) || i == 1 ? 0 : 1; });
  expect("blend", 64, [](int i) { return i % 2 == 1 ? i : -1; });
}

TEST_F(Calls, Fusion) {
  expect("fused", 64, [](int i) {
    const int x = i % 8;
    const int results[] = {x * 2 + 3, x * 2 - 3, (x + 2) * 3, (x - 2) * 3, x + 2 + 3, x + 2 - 3, x - 2 - 3, x - 2 + 3};
    return results[i / 8];
  });
}

TEST_F(Calls, RoundingToWholeNumbers) {
  const auto half = [](int i) { return 0.5 * i - 16; };
  expect("rounding_tz", 64, [&](int i) { return std::trunc(half(i)); });
  expect("rounding_oz", 64, [&](int i) { return half(i) < 0 ? std::floor(half(i)) : std::ceil(half(i)); });
  expect("rounding_up", 64, [&](int i) { return std::ceil(half(i)); });
  expect("rounding_dn", 64, [&](int i) { return std::floor(half(i)); });
  expect("rounding_rd", 64, [&](int i) { return std::round(half(i)); });
  expect("rounding_rm", 64, [&](int i) { return std::floor(half(i) + 0.5); });
  expect("rounding_rn", 64, [&](int i) { return std::nearbyint(half(i)); });
}

TEST_F(Calls, RoundingToHalf) {  // from 2048 on, halves are even numbers
  expect("halves_tz", 64, [](int i) { return 2048 + i / 2 * 2; });
  expect("halves_up", 64, [](int i) { return 2048 + (i + 1) / 2 * 2; });
  expect("halves_rd", 64, [](int i) { return 2048 + (i + 1) / 2 * 2; });
  expect("halves_rn", 64, [](int i) { return 2048 + (i + i % 4 / 2) / 2 * 2; });
}

TEST_F(Calls, FixPosition) {  // rounded in quarters of the value, read as twice itself
  expect("fix_position", 64, [](int i) { return std::round(i / 4.0) * 2; });
}

TEST_F(Calls, Pools) {
  const Shape shape{.elements = 1024};
  const auto at = [](int i, int kh, int kw) {  // element of the window of output i
    const int c = i % 32, ow = i / 32 % 2, oh = i / 64;
    return ((oh + kh) * 6 + ow * 3 + kw) * 32 + c;
  };
  const auto total = [&](int i) {
    int sum = 0;
    for (int k = 0; k < 6; ++k) {
      sum += at(i, k / 3, k % 3);
    }
    return sum;
  };
  expect("pool_sum", 192, total, shape);
  expect("pool_avg", 192, [&](int i) { return static_cast<float>(total(i)) / 6.0f; }, shape);
  expect("pool_max", 192, [&](int i) { return at(i, 1, 2); }, shape);
  expect("pool_min", 192, [&](int i) { return at(i, 0, 0); }, shape);
}

TEST_F(Calls, PoolIndexAndItsBackward) {  // the first of a window is the largest: its gradient alone goes back
  expect("pool_index", 768,
         [](int i) {
           const int c = i % 32, w = i / 32 % 6, h = i / 192;
           const int window = (h / 2 * 2 + w / 3) * 32 + c;
           return h % 2 == 0 && w % 3 == 0 ? -window : 0;
         },
         {.elements = 768});
}

TEST_F(Calls, Reductions) {
  expect("sums", 64, [](int i) { return i == 0 ? 496 : i == 32 ? 1520 : i; });
  expect("extremes", {0, 5, 63, 63, 4, 6, 3});
}

TEST_F(Calls, Selection) {
  const std::vector<float> out = run("selection", {.elements = 256});
  EXPECT_EQ(out[0], 6);   // 10 to 15
  EXPECT_EQ(out[1], 16);  // select counts: the mask is all 12
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(32 + i)], 10 + i);
  }
  EXPECT_EQ(out[32 + 6], 7);  // what is not chosen leaves dst alone
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(48 + i)], i);
  }
  EXPECT_EQ(out[48 + 12], 7);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(128 + i)], i);  // 128 bytes after select's count
  }
}

TEST_F(Calls, Turns) {
  expect("turn_transpose", {0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14});
  expect("turn_rotate90", {10, 5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4});
  expect("turn_rotate180", {14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  expect("turn_rotate270", {4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11, 0, 5, 10});
  expect("turn_mirror", {4, 3, 2, 1, 0, 9, 8, 7, 6, 5, 14, 13, 12, 11, 10});
  expect("padded", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0});
}

TEST_F(Calls, MatrixProductInBothWaysOfFillingWram) {
  const auto value = [](int i) {
    float sum = 0;
    for (int k = 0; k < 32; ++k) {
      sum += static_cast<float>(i / 128 * 32 + k) * static_cast<float>(i % 128 * 32 + k);
    }
    return sum;
  };
  expect("product", 256, value, {.elements = 4096});
  expect("product_by_lanes", 256, value, {.elements = 4096});
}

TEST_F(Calls, CopiesInThreeDimensions) {
  expect("strides", {0, 1, 3, 4, 6, 7, 16, 17, 19, 20, 22, 23});
}

TEST_F(Calls, Atomics) {
  for (const char* order : {"forward", "reverse", "random"}) {
    const auto out = run("atomics", {.clusters = 1, .tasks = 4, .elements = 64}, {"--order", order});
    EXPECT_EQ((std::vector<float>{out[1], out[2], out[3], out[8], out[9], out[10]}),
              (std::vector<float>{4, 8, 12, 4, 3, 4}))
        << order;
  }
}

TEST_F(Calls, GatherWithAndWithoutAMask) {
  expect("gathered", 40, [](int i) {
    const int from[] = {10, 0, 2, 1, 15, 5, 3, 4};
    if (i < 32) {
      return i % 2 == 0 && i < 16 ? from[i / 2] : -1;
    }
    return (0x5f >> (i - 32) & 1) != 0 ? from[i - 32] : -1;
  });
}

TEST_F(Calls, FunctionsExactAndAtTheirWorst) {
  const Shape shape{.elements = 256};
  const auto exact = run("functions", shape);
  const auto worst = run("functions", shape, {"--precision", "worst"});
  for (int i = 0; i < 64; ++i) {
    const double x = i / 16.0;
    const auto at = static_cast<std::size_t>(i);
    EXPECT_FLOAT_EQ(exact[at], static_cast<float>(std::exp(x)));
    EXPECT_FLOAT_EQ(exact[64 + at], static_cast<float>(1 / (x + 1)));
    EXPECT_FLOAT_EQ(exact[128 + at], static_cast<float>(std::log2(x + 1)));
    EXPECT_FLOAT_EQ(exact[192 + at], static_cast<float>(std::sqrt(x + 1)));
    EXPECT_NEAR(worst[at] / exact[at], i % 2 == 0 ? 1.003 : 0.997, 1e-6);
    EXPECT_NEAR(worst[64 + at] / exact[64 + at], 1, 3e-7);
  }
}

TEST_F(Calls, TheMpuFillsSramAndReachesTheNextCluster) {
  for (const char* order : {"forward", "reverse", "random"}) {
    const auto out = run("clusters", {.clusters = 2, .tasks = 8, .elements = 512}, {"--order", order});
    for (std::size_t i = 0; i < 512; ++i) {
      ASSERT_EQ(out[i], static_cast<float>(i % 256) + (i < 256 ? 0 : 1000)) << order << " " << i;
    }
  }
}

TEST_F(Calls, TasksKnowWhoTheyAre) {
  const auto block = run("tasks", {.tasks = 3, .elements = 64});
  EXPECT_EQ(std::vector<float>(block.begin() + 16, block.begin() + 24), (std::vector<float>{2, 0, 0, 3, 1, 0, 2, 1}));
  const auto together = run("tasks", {.clusters = 2, .tasks = 8, .elements = 64});
  EXPECT_EQ(std::vector<float>(together.begin() + 40, together.begin() + 48),
            (std::vector<float>{5, 1, 1, 8, 4, 2, 5, 1}));
}

TEST_F(Calls, CountersTellVectorFromScalarAndCopies) {
  const auto counters = side_->run("arithmetic", {.elements = 64}, {}).result.counters;
  EXPECT_EQ(counters.at("dma_bytes"), 512u);
  EXPECT_EQ(counters.at("vector_ops"), 256u);
  EXPECT_EQ(counters.at("scalar_accesses"), 0u);
  EXPECT_EQ(counters.at("call __bang_add"), 1u);
  EXPECT_GT(side_->run("tasks", {.elements = 64}, {}).result.counters.at("scalar_nram_bytes"), 0u);
}

}  // namespace
}  // namespace tqm::port::bang
