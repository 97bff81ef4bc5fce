#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/random.hpp"

namespace tqm {
namespace {

TEST(Clock, time_is_written_in_utc) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(1'772'357'405'250'999'999), "2026-03-01T09:30:05.250Z");
  EXPECT_EQ(utc_text(-1), "1969-12-31T23:59:59.999Z");
}

TEST(Clock, a_manual_clock_can_be_set_back_and_stays_monotonic) {
  ManualClock clock(5'000'000'000);
  clock.advance_seconds(2);
  clock.set_wall_ns(1);
  EXPECT_EQ(clock.wall_ns(), 1);
  EXPECT_EQ(clock.monotonic_ns(), 2'000'000'000);
  const int64_t before = system_clock().monotonic_ns();
  EXPECT_LE(before, system_clock().monotonic_ns());
}

// FIPS 180-4's example; XXH3's value of the empty input from its specification's reference implementation.
TEST(Hash, known_values) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(xxh3(""), 0x2d06800538d394c2u);
}

TEST(Hash, pieces_and_files_give_the_hash_of_the_whole) {
  const auto folder = std::move(TemporaryFolder::make()).take();
  std::string text(3'000'000, 'q');
  text[1234567] = 'z';
  ASSERT_TRUE(write_file_atomic(folder.path() / "a", text).ok());
  Xxh3 fast;
  fast.add(std::string_view(text).substr(0, 1000));
  fast.add("");
  fast.add(std::string_view(text).substr(1000));
  EXPECT_EQ(fast.value(), xxh3(text));
  EXPECT_EQ(*xxh3_of_file(folder.path() / "a"), fast.hex());
  EXPECT_EQ(*sha256_of_file(folder.path() / "a"), sha256_hex(text));
  EXPECT_EQ(xxh3_of_file(folder.path() / "b").error().kind, ErrorKind::not_found);
  EXPECT_EQ(xxh3_of_file(folder.path()).error().kind, ErrorKind::bad_input);
}

// The first numbers of xoshiro256** from state 1, 2, 3, 4 and of splitmix64 from 1234567, computed by their
// definitions.
TEST(Random, the_numbers_are_those_of_the_published_generators) {
  Random random(std::array<uint64_t, 4>{1, 2, 3, 4});
  EXPECT_EQ(random.next(), 11520u);
  EXPECT_EQ(random.next(), 0u);
  EXPECT_EQ(random.next(), 1509978240u);
  EXPECT_EQ(random.next(), 1215971899390074240u);
  EXPECT_EQ(Random(1234567).state()[0], 6457827717110365317u);
  EXPECT_EQ(Random(1234567).state()[1], 3203168211198807973u);
}

TEST(Random, uniform_below_and_normal_have_their_moments) {
  Random random(1);
  double sum = 0, normal_sum = 0, normal_squares = 0;
  std::vector<int> counts(7);
  constexpr int kDraws = 70000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += u;
    ++counts[random.below(7)];
    const double n = random.normal();
    normal_sum += n;
    normal_squares += n * n;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.01);
  for (int count : counts) EXPECT_NEAR(count, kDraws / 7, 400);
  EXPECT_NEAR(normal_sum / kDraws, 0, 0.015);
  EXPECT_NEAR(normal_squares / kDraws, 1, 0.03);
}

TEST(Random, a_saved_state_goes_on_and_a_shuffle_keeps_all) {
  Random random(5);
  random.normal();
  Random copy(random.state());
  EXPECT_EQ(random.normal(), copy.normal());
  std::vector<int> items(100), sorted;
  std::iota(items.begin(), items.end(), 0);
  sorted = items;
  random.shuffle(items);
  EXPECT_NE(items, sorted);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, sorted);
  EXPECT_NE(random.split().next(), random.next());
}

TEST(JsonText, what_is_no_json_is_refused_with_its_place) {
  const auto result = parse_json("{\"a\": }", "x.json");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(result.error().where, "x.json");
  EXPECT_FALSE(parse_json("{\"a\": NaN}", "x").ok());
  EXPECT_FALSE(parse_json("", "x").ok());
  EXPECT_EQ(dump_json(Json{{"a", "\xff"}}, -1), "{\"a\":\"\xEF\xBF\xBD\"}");
}

TEST(Log, only_what_is_wanted_is_written) {
  set_log_level(LogLevel::info);
  testing::internal::CaptureStderr();
  log(LogLevel::info, "seen {}", 1);
  log(LogLevel::debug, "unseen");
  const std::string text = testing::internal::GetCapturedStderr();
  set_log_level(LogLevel::warning);
  EXPECT_NE(text.find("info: seen 1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("unseen"), std::string::npos);
}

}  // namespace
}  // namespace tqm
