#include "port/verify/harness.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "port/verify/prepared_case.hpp"

namespace tqm::port {
namespace {

const std::string kSums = R"toml(
[[kernel]]
name = "block_sum"
grid = ["cdiv(n, 256)"]
block = [256]
shared = "256 * 4"
arguments = ["x", "out", "n", "alpha", "offset"]
sizes = [{n = 1000}, {n = 1}]
least = {n = 1}

[kernel.buffers.x]
element = "f32"
count = "n"

[kernel.buffers.out]
element = "f32"
count = "cdiv(n, 256)"
fill = "none"
output = true

[kernel.buffers.table]
element = "i32"
count = 16
range = [0, "n - 1"]
symbol = "lookup"

[kernel.scalars.alpha]
element = "f32"
value = 0.5

[kernel.scalars.offset]
element = "i64"
value = "n / 2"
)toml";

std::string refusal(const std::string& from, const std::string& to) {
  std::string text = kSums;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto parsed = parse_harness(text, "sums.toml");
  return parsed ? "taken" : parsed.error().message();
}

void expect_refused(const std::string& from, const std::string& to, const std::string& what) {
  EXPECT_NE(refusal(from, to).find(what), std::string::npos) << refusal(from, to);
}

TEST(Harness, ReadsLaunchesBuffersAndScalars) {
  const auto harness = parse_harness(kSums, "sums.toml");
  ASSERT_TRUE(harness.ok()) << harness.error().message();
  const HarnessKernel& kernel = harness->kernels.at(0);
  EXPECT_EQ(kernel.name, "block_sum");
  EXPECT_EQ(kernel.sizes.size(), 2U);
  EXPECT_EQ(kernel.cases.size(), 9U);
  EXPECT_TRUE(kernel.buffers.at("out").output);
  EXPECT_FALSE(kernel.buffers.at("out").initialised);
}

TEST(Harness, APreparedCaseIsTheLaunchThatItSays) {
  const auto harness = parse_harness(kSums, "sums.toml");
  ASSERT_TRUE(harness.ok());
  const auto prepared = prepare(harness->kernels[0], {{"n", 1000}}, Fill::random, 3);
  ASSERT_TRUE(prepared.ok()) << prepared.error().message();
  EXPECT_EQ(prepared->label, "random, n = 1000");
  EXPECT_EQ(prepared->launch.grid[0], 4U);
  EXPECT_EQ(prepared->launch.block[0], 256U);
  EXPECT_EQ(prepared->launch.dynamic_shared_bytes, 1024U);
  ASSERT_EQ(prepared->launch.arguments.size(), 5U);
  EXPECT_EQ(prepared->launch.arguments[1].pointers.at(0).buffer, "out");
  EXPECT_EQ(value_at(Element::i32, prepared->launch.arguments[2].bytes.data()), 1000);
  EXPECT_EQ(value_at(Element::f32, prepared->launch.arguments[3].bytes.data()), 0.5);
  EXPECT_EQ(value_at(Element::i64, prepared->launch.arguments[4].bytes.data()), 500);
  EXPECT_EQ(prepared->contents.at("x").size(), 4000U);
  EXPECT_FALSE(prepared->contents.contains("out"));
  EXPECT_EQ(prepared->outputs, std::vector<std::string>{"out"});
  EXPECT_EQ(prepared->launch.symbols.at(0).name, "lookup");

  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(write_prepared(*prepared, folder->path()).ok());
  const auto read = read_case(folder->path());
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(case_text(*read), case_text(prepared->launch));
}

TEST(Harness, OtherSizesAreRunWithTheFirstFill) {
  const auto harness = parse_harness(kSums, "sums.toml");
  ASSERT_TRUE(harness.ok());
  const auto cases = prepare_all(harness->kernels[0], 1);
  ASSERT_TRUE(cases.ok());
  ASSERT_EQ(cases->size(), 10U);
  EXPECT_EQ(cases->back().label, "random, n = 1");
  EXPECT_NE((*cases)[0].contents.at("x"), (*cases)[1].contents.at("x"));  // another seed
  EXPECT_EQ((*cases)[0].contents.at("x"),
            prepare(harness->kernels[0], {{"n", 1000}}, Fill::random, 1)->contents.at("x"));
}

TEST(Harness, RefusesWithFileAndLine) {
  expect_refused("name = \"block_sum\"", "nam = \"block_sum\"", "did you mean name?");
  expect_refused("name = \"block_sum\"", "nam = \"block_sum\"", "sums.toml:3");
  expect_refused("element = \"f32\"", "element = \"float\"", "there is no element type 'float'");
  expect_refused("cdiv(n, 256)", "cdiv(m, 256)", "sums.toml:4");
  expect_refused("cdiv(n, 256)", "cdiv(m, 256)", "no size 'm'");
  expect_refused("\"offset\"]", "\"ofset\"]", "did you mean offset?");
  expect_refused("output = true", "output = false", "is an output");
  expect_refused("output = true", "output = \"yes\"", "true or false");
  expect_refused("fill = \"none\"", "fill = \"noise\"", "there is no fill 'noise'");
  expect_refused("range = [0, \"n - 1\"]", "range = [0]", "a lowest and a highest");
  expect_refused("{n = 1}]", "{m = 1}]", "don't have the same sizes");
  expect_refused("least = {n = 1}", "least = {rows = 1}", "which is no size");
  expect_refused("{n = 1000}", "{n = -1}", "at least 0");
  expect_refused("block = [256]", "block = []", "1 to 3 values");
  expect_refused("block = [256]", "block = [2.5]", "whole number or an expression");
  expect_refused("symbol = \"lookup\"", "", "is no argument and has no symbol");
  expect_refused("count = 16", "", "'count' is missing");
  expect_refused("[[kernel]]", "[kernel", "this is no TOML");
  EXPECT_NE(parse_harness("", "sums.toml").error().message().find("no kernel"), std::string::npos);
}

TEST(Harness, RefusesLaunchesThatCantBe) {
  const auto refused = [](const Sizes& sizes, const std::string& from, const std::string& to) {
    std::string text = kSums;
    text.replace(text.find(from), from.size(), to);
    const auto harness = parse_harness(text, "sums.toml");
    EXPECT_TRUE(harness.ok());
    const auto prepared = prepare(harness->kernels[0], sizes, Fill::random, 1);
    return prepared ? std::string("taken") : prepared.error().message();
  };
  EXPECT_NE(refused({{"n", 0}}, "x", "x").find("a launch of nothing"), std::string::npos);
  EXPECT_NE(refused({{"n", 1}}, "block = [256]", "block = [64, 32]").find("more than 1024 threads"), std::string::npos);
  EXPECT_NE(refused({{"n", 1}}, "count = \"n\"", "count = \"n * 1000000000\"").find("is not within"),
            std::string::npos);
}

}  // namespace
}  // namespace tqm::port
