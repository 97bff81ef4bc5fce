#include "base/text.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace tqm {
namespace {

TEST(Text, a_mistyped_name_finds_its_neighbours) {
  const std::vector<std::string> names = {"a100", "h100", "rtx-4090", "mlu370-x8", "mlu370-x4", "ascend-910b"};
  EXPECT_EQ(did_you_mean("A10", names), "did you mean a100?");
  EXPECT_EQ(nearest_names("mlu370x8", names)[0], "mlu370-x8");
  EXPECT_EQ(did_you_mean("4090", names), "did you mean rtx-4090?");
  EXPECT_EQ(did_you_mean("mlu370", names), "did you mean mlu370-x8 or mlu370-x4?");
  EXPECT_EQ(did_you_mean("compress", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean("chpis", std::vector<std::string>{"chips", "port"}), "did you mean chips?");
}

TEST(Text, sizes_and_durations_read_well) {
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(98'400'000), "98.4 MB");
  EXPECT_EQ(bytes_text(999'999), "1.0 MB");
  EXPECT_EQ(bytes_text(269'060'552), "269 MB");
  EXPECT_EQ(bytes_text(std::numeric_limits<uint64_t>::max()), "18.4 EB");
  EXPECT_EQ(duration_text(0.81), "0.8 s");
  EXPECT_EQ(duration_text(12.4), "12 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
  EXPECT_EQ(duration_text(273600), "3 d 4 h");
  EXPECT_EQ(duration_text(-1), "0.0 s");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

TEST(Text, nothing_is_less_than_nothing) {
  EXPECT_EQ(fixed_text(-1.249, 2), "-1.25");
  EXPECT_EQ(fixed_text(-0.004, 2), "0.00");
  EXPECT_EQ(fixed_text(-0.005001, 2), "-0.01");
  EXPECT_EQ(fixed_text(-0.0, 0), "0");
  EXPECT_EQ(fixed_text(-0.4, 0), "0");
  EXPECT_EQ(fixed_text(-std::numeric_limits<double>::infinity(), 2), "-inf");
  EXPECT_EQ(percent_text(-1e-9, 2), "0.00 %");
  EXPECT_EQ(percent_text(0.0289, 1), "2.9 %");
  EXPECT_EQ(percent_text(-0.0289, 2), "-2.89 %");
}

TEST(Text, utf8_is_what_the_rfc_says) {
  EXPECT_TRUE(is_utf8("plain, 简仪, \U0001F52D"));
  EXPECT_TRUE(is_utf8(std::string("\0", 1)));
  for (const char* wrong : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe7\xae", "a\x80"})
    EXPECT_FALSE(is_utf8(wrong)) << wrong;
}

TEST(Text, widths_count_columns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("简仪"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(shorten("简仪浑仪", 5), "简仪…");
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcd", 3), "ab…");
  EXPECT_EQ(shorten("abcd", 0), "");
}

TEST(Text, a_table_stands_in_columns) {
  const std::vector<Column> columns = {{"model"}, {"size", Align::right}};
  const std::vector<std::vector<std::string>> rows = {{"小模型", "9.1 MB"}, {"a", "10 kB"}, {"short"}};
  EXPECT_EQ(table_text(columns, rows),
            "model     size\n"
            "------  ------\n"
            "小模型  9.1 MB\n"
            "a        10 kB\n"
            "short\n");
}

TEST(Text, splitting_and_joining_are_opposites) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{""});
  EXPECT_EQ(join(split("a,,b", ','), ","), "a,,b");
  EXPECT_EQ(trim("  a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

}  // namespace
}  // namespace tqm
