#include "base/progress.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/text.hpp"

namespace tqm {
namespace {

TEST(Progress, time_left_follows_the_rate) {
  ManualClock clock;
  RateMeter rate(30);
  rate.update(clock.monotonic_ns(), 0);
  EXPECT_FALSE(rate.per_second().has_value());
  for (int i = 1; i <= 100; ++i) {
    clock.advance_seconds(1);
    rate.update(clock.monotonic_ns(), i * 2);
  }
  EXPECT_NEAR(*rate.per_second(), 2, 1e-9);
  EXPECT_NEAR(*rate.seconds_left(300), 50, 1e-9);
  for (int i = 1; i <= 40; ++i) {
    clock.advance_seconds(1);
    rate.update(clock.monotonic_ns(), 200 + i);
  }
  EXPECT_NEAR(*rate.per_second(), 1, 1e-9) << "only the window counts";
  EXPECT_EQ(*rate.seconds_left(100), 0);
  EXPECT_FALSE(rate.seconds_left(0).has_value());
}

TEST(Progress, many_updates_in_a_moment_keep_the_rate) {
  ManualClock clock;
  RateMeter rate(1);
  for (int i = 0; i <= 100000; ++i) {
    rate.update(clock.monotonic_ns(), i);
    clock.advance_seconds(0.001);
  }
  EXPECT_NEAR(*rate.per_second(), 1000, 20);
}

TEST(Progress, going_back_starts_anew) {
  RateMeter rate;
  rate.update(0, 100);
  rate.update(1'000'000'000, 200);
  rate.update(2'000'000'000, 10);
  EXPECT_FALSE(rate.per_second().has_value());
  rate.update(1'000'000'000, 20);
  EXPECT_FALSE(rate.per_second().has_value());
}

TEST(Progress, a_bar_fits_the_terminal) {
  const ProgressView view{"quantise", 12, 30, "layers", 1.4, 13};
  EXPECT_EQ(progress_bar(view, 79), "quantise [============>                 ] 12/30 layers  1.4/s  13 s left");
  EXPECT_EQ(progress_line(view), "quantise: 12 of 30 layers, 13 s left");
  for (size_t columns : {0u, 1u, 10u, 40u, 60u}) EXPECT_LE(display_width(progress_bar(view, columns)), columns);
  EXPECT_EQ(progress_bar({"read", 5, 0, "files", {}, {}}, 79), "read 5 files");
  EXPECT_EQ(progress_line({"read", 5, 0, "", {}, {}}), "read: 5");
}

}  // namespace
}  // namespace tqm
