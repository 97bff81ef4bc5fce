#include "port/launch/launch_case.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"

namespace tqm::port {
namespace {

LaunchCase sample() {
  LaunchCase launch;
  launch.kernel = "_Z5scalePfi";
  launch.grid = {2, 1, 1};
  launch.block = {64, 2, 1};
  launch.dynamic_shared_bytes = 512;
  Argument pointer;
  pointer.bytes.resize(8);
  pointer.pointers[0] = {"x", 16};
  launch.arguments = {pointer, Argument{{std::byte{0x80}, std::byte{1}, std::byte{0}, std::byte{0}}, {}}};
  launch.buffers = {{"x", 20, true}, {"scratch", 4, false}};
  launch.symbols = {{"factor", "scratch"}};
  return launch;
}

std::string refusal(const std::string& from, const std::string& to) {
  std::string text = case_text(sample());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto parsed = parse_case(text, "case.json");
  return parsed ? "taken" : parsed.error().message();
}

TEST(LaunchCase, ReadsBackWhatWasWritten) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(write_file_atomic(folder->path() / "x.in", std::string(20, 'a')).ok());
  ASSERT_TRUE(write_case(sample(), folder->path()).ok());
  const auto read = read_case(folder->path());
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(case_text(*read), case_text(sample()));
  EXPECT_EQ(read->arguments[0].pointers.at(0).offset, 16U);
  EXPECT_EQ(read->arguments[1].bytes[0], std::byte{0x80});
  EXPECT_EQ(read->block[1], 2U);
}

TEST(LaunchCase, RefusesABufferWhoseFileHasAnotherSize) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(write_case(sample(), folder->path()).ok());
  EXPECT_FALSE(read_case(folder->path()).ok());  // no file at all
  ASSERT_TRUE(write_file_atomic(folder->path() / "x.in", "short").ok());
  const auto read = read_case(folder->path());
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message().find("5 bytes, and the case says 20"), std::string::npos);
}

TEST(LaunchCase, RefusesWithThePlace) {
  EXPECT_NE(refusal("\"x\"", "\"../x\"").find("no buffer of the case"), std::string::npos);
  EXPECT_NE(refusal("\"name\": \"x\"", "\"name\": \"a/b\"").find("buffers[0].name"), std::string::npos);
  EXPECT_NE(refusal("\"offset\": 16", "\"offset\": 21").find("behind the end"), std::string::npos);
  EXPECT_NE(refusal("\"at\": 0", "\"at\": 1").find("does not fit into 8 bytes"), std::string::npos);
  EXPECT_NE(refusal("\"80010000\"", "\"8001000\"").find("arguments[1].bytes"), std::string::npos);
  EXPECT_NE(refusal("\"block\",", "\"union3\",").find("union8"), std::string::npos);
  EXPECT_NE(refusal("\"kernel\"", "\"kernels\"").find("kernel is missing"), std::string::npos);
  EXPECT_NE(refusal("\"dynamic_shared_bytes\": 512", "\"dynamic_shared_bytes\": -1").find("whole number"),
            std::string::npos);
}

TEST(LaunchResult, ReadsBackWhatWasWritten) {
  LaunchResult result;
  result.ran = true;
  result.faults = {{"race", "threads 1 and 2", "a.cu", 12}};
  result.counters = {{"blocks", 4}, {"loads", 1ULL << 60}};
  result.branches = {{5, "a.cu", 7, 3, false, {Outcome::empty, Outcome::code}, {false, true}}};
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(write_result(result, folder->path()).ok());
  const auto read = read_result(folder->path());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(result_text(*read), result_text(result));
  EXPECT_EQ(read->faults[0].line, 12);
  EXPECT_TRUE(read->branches[0].seen[1]);
  EXPECT_FALSE(parse_result("{\"ran\": true, \"faults\": [{}], \"counters\": {}}", "r").ok());
}

}  // namespace
}  // namespace tqm::port
