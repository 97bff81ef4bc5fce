#include "port/verify/compare.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tqm::port {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::byte> bytes(Element element, const std::vector<double>& values) {
  std::vector<std::byte> all(values.size() * bytes_of(element));
  for (std::size_t i = 0; i < values.size(); ++i) put_value(element, values[i], all.data() + i * bytes_of(element));
  return all;
}

// `steps` neighbours above each value.
std::vector<std::byte> above(Element element, const std::vector<double>& values, std::uint64_t steps) {
  std::vector<std::byte> all = bytes(element, values);
  const std::size_t width = bytes_of(element);
  for (std::size_t at = 0; at < all.size(); at += width)
    put_bits(element, bits_at(element, all.data() + at) + steps, all.data() + at);
  return all;
}

BufferRuns runs_of(const std::vector<std::byte>& reference, Element element = Element::f32) {
  BufferRuns runs;
  runs.element = element;
  runs.reference = reference;
  return runs;
}

TEST(Compare, FourUlpPassAndFiveDoNot) {
  for (const Element element : {Element::f16, Element::bf16, Element::f32, Element::f64}) {
    const auto reference = bytes(element, {1.5, -2.25, 0.0});
    EXPECT_TRUE(compare(runs_of(reference, element), above(element, {1.5, -2.25, 0.0}, 4), {}).equal());
    const Comparison off = compare(runs_of(reference, element), above(element, {1.5, -2.25, 0.0}, 5), {});
    EXPECT_EQ(off.differing, 3U) << name(element);
    EXPECT_EQ(off.first->ulps, 5);
    EXPECT_EQ(off.worst_ulps, 5);
  }
}

TEST(Compare, OneWrongElementAmongAMillionIsFound) {
  std::vector<double> values(1000000, 1.0);
  const auto reference = bytes(Element::f32, values);
  values[999999] = 1.001;
  const Comparison result = compare(runs_of(reference), bytes(Element::f32, values), {});
  EXPECT_EQ(result.differing, 1U);
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->index, 999999U);
  EXPECT_EQ(result.first->reference, "1");
  EXPECT_EQ(result.first->result, "1.00100005");
  EXPECT_LT(result.diff1, 3e-3);  // which the mean would have let pass
  EXPECT_NEAR(result.diff1, 1e-9, 1e-10);
  EXPECT_NEAR(result.diff2, 1e-6, 1e-7);
}

TEST(Compare, TheCudaSidesOwnSpreadIsAllowedEightTimes) {
  const auto reference = bytes(Element::f32, {1.0, 1.0});
  const auto contracted = bytes(Element::f32, {1.0 + 1e-5, 1.0});
  BufferRuns runs = runs_of(reference);
  runs.contractions = {contracted};
  EXPECT_TRUE(compare(runs, bytes(Element::f32, {1.0 + 7e-5, 1.0}), {}).equal());
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {1.0 + 9e-5, 1.0}), {}).equal());
  const Comparison neighbour = compare(runs, bytes(Element::f32, {1.0, 1.0 + 7e-5}), {});  // its own spread is none
  ASSERT_TRUE(neighbour.first);
  EXPECT_EQ(neighbour.first->index, 1U);
  EXPECT_NE(neighbour.first->why.find("own spread is 0"), std::string::npos);
  EXPECT_NEAR(neighbour.largest_spread, 84, 1);
}

TEST(Compare, FunctionsOfACardAreSpreadToo) {
  const auto reference = bytes(Element::f32, {1.0});
  const auto off = bytes(Element::f32, {1.0 + 1e-6});
  BufferRuns runs = runs_of(reference);
  runs.functions = {off};
  EXPECT_TRUE(compare(runs, bytes(Element::f32, {1.0 - 7e-6}), {}).equal());
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {1.0 - 9e-6}), {}).equal());
}

TEST(Compare, ASumInAnotherOrderHasTheWidthOfRounding) {
  const auto reference = bytes(Element::f32, {100.0});
  const auto up = bytes(Element::f32, {100.002}), down = bytes(Element::f32, {99.998});
  BufferRuns runs = runs_of(reference);
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {100.03}), {}).equal());
  runs.roundings = {up, down};
  EXPECT_TRUE(compare(runs, bytes(Element::f32, {100.03}), {}).equal());
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {100.04}), {}).equal());
  const Comparison missing = compare(runs, bytes(Element::f32, {99.5}), {});  // one of 200 terms left out
  ASSERT_TRUE(missing.first);
  EXPECT_NE(missing.first->why.find("of rounding 0.004"), std::string::npos) << missing.first->why;
}

TEST(Compare, AtomicsAreSpreadAsTheirNeighboursAre) {
  const auto reference = bytes(Element::f32, {1.0, 1.0}), other = bytes(Element::f32, {1.0, 1.0 + 1e-6});
  const auto elsewhere = bytes(Element::f32, {1.0, 7.0});
  BufferRuns runs = runs_of(reference);
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {1.0 + 5e-6, 1.0}), {}).equal());
  runs.threads = {other};
  EXPECT_TRUE(compare(runs, bytes(Element::f32, {1.0 + 5e-6, 1.0}), {}).equal());
  runs.threads = {elsewhere};  // another value, no rounding
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {1.0 + 5e-6, 1.0}), {}).equal());
}

TEST(Compare, WhatRoundingDecidesIsLoose) {
  const auto reference = bytes(Element::f32, {1e-6, 5.0, 6.0});
  const auto up = bytes(Element::f32, {2e-6, 5.0, 6.0});
  const auto infinite = bytes(Element::f32, {kInfinity, 5.0, 6.0});
  BufferRuns runs = runs_of(reference);
  runs.roundings = {up, infinite};
  const Comparison result = compare(runs, bytes(Element::f32, {2.5e-6, 5.0, 6.0}), {});
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.loose, 1U);
  EXPECT_EQ(result.diff1, 0);
}

TEST(Compare, RoundingsThatMeetAtOneElementGrantItWhatOthersAroundHave) {
  const auto reference = bytes(Element::f32, {1.0, 2.0, 4.0});
  BufferRuns runs = runs_of(reference);
  const auto up = bytes(Element::f32, {1.0, 2.000004, 4.000008});
  runs.roundings = {up, reference};
  EXPECT_TRUE(compare(runs, bytes(Element::f32, {1.000005, 2.0, 4.0}), {}).equal());
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {1.0005, 2.0, 4.0}), {}).equal());
}

TEST(Compare, ASumOfTheLargestInAnotherOrderMayLeaveTheRange) {
  const auto reference = bytes(Element::f32, {3e38, 1.0});
  BufferRuns runs = runs_of(reference);
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {kInfinity, 1.0}), {}).equal());
  runs.roundings = {reference, reference};
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {kInfinity, 1.0}), {}).equal());
  runs.largest_inputs = true;
  EXPECT_TRUE(compare(runs, bytes(Element::f32, {kInfinity, 1.0}), {}).equal());
  EXPECT_FALSE(compare(runs, bytes(Element::f32, {2.9e38, 1.0}), {}).equal());
}

TEST(Compare, AllElementsOffTheSameWayAreFoundByTheMeans) {
  const std::vector<double> values(100, 1.0);
  const auto reference = bytes(Element::f32, values);
  Tolerance wide;
  wide.absolute = 0.05;
  const auto off = bytes(Element::f32, std::vector<double>(100, 1.01));
  const Comparison result = compare(runs_of(reference), off, wide);
  ASSERT_TRUE(result.first);
  EXPECT_NE(result.first->why.find("diff1 is 0.01"), std::string::npos) << result.first->why;
  EXPECT_TRUE(compare(runs_of(reference), bytes(Element::f32, std::vector<double>(100, 1.002)), wide).equal());
}

TEST(Compare, TablesOfApproximateCallsAddTheirAllowance) {
  const auto reference = bytes(Element::f32, {100});
  Tolerance tolerance;
  tolerance.relative = 0.01;
  EXPECT_TRUE(compare(runs_of(reference), bytes(Element::f32, {100.9}), tolerance).equal());
  EXPECT_FALSE(compare(runs_of(reference), bytes(Element::f32, {101.1}), tolerance).equal());
}

TEST(Compare, NanAndInfinityStandInTheSamePlaces) {
  const auto reference = bytes(Element::f32, {kNan, kInfinity, -kInfinity, 3e38});
  EXPECT_TRUE(compare(runs_of(reference), bytes(Element::f32, {kNan, kInfinity, -kInfinity, 3e38}), {}).equal());
  for (const auto& other : std::vector<std::vector<double>>{{1, kInfinity, -kInfinity, 3e38},
                                                            {kNan, -kInfinity, -kInfinity, 3e38},
                                                            {kNan, kInfinity, 0, 3e38},
                                                            {kNan, kInfinity, -kInfinity, kInfinity}})
    EXPECT_EQ(compare(runs_of(reference), bytes(Element::f32, other), {}).differing, 1U);
  const Comparison same = compare(runs_of(reference), reference, {});
  EXPECT_EQ(same.diff1, 0);
  EXPECT_TRUE(std::isfinite(same.diff2));
}

TEST(Compare, IntegersAndMovedFloatsAreBitEqual) {
  const auto numbers = bytes(Element::i32, {7, -1});
  EXPECT_TRUE(compare(runs_of(numbers, Element::i32), numbers, {}).equal());
  EXPECT_FALSE(compare(runs_of(numbers, Element::i32), bytes(Element::i32, {7, -2}), {}).equal());
  const auto floats = bytes(Element::f32, {1, 0});
  Tolerance moved;
  moved.moved_only = true;
  EXPECT_TRUE(compare(runs_of(floats), floats, moved).equal());
  EXPECT_FALSE(compare(runs_of(floats), above(Element::f32, {1, 0}, 1), moved).equal());
  EXPECT_FALSE(compare(runs_of(floats), bytes(Element::f32, {1, -0.0}), moved).equal());
  EXPECT_TRUE(compare(runs_of(floats), bytes(Element::f32, {1, -0.0}), {}).equal());
}

TEST(Compare, WhatTheOrderOfBlocksDecidesIsCountedNotCompared) {
  const auto forward = bytes(Element::i32, {4, 9, 5}), reverse = bytes(Element::i32, {9, 4, 5});
  BufferRuns runs = runs_of(forward, Element::i32);
  runs.orders = {reverse};
  const Comparison slots = compare(runs, bytes(Element::i32, {1, 2, 5}), {});
  EXPECT_TRUE(slots.equal());
  EXPECT_EQ(slots.order_dependent, 2U);
  EXPECT_EQ(slots.compared, 1U);
  EXPECT_EQ(slots.first_order_dependent, 0U);

  const auto sum = bytes(Element::f32, {1.0, 10.0}), other_sum = bytes(Element::f32, {1.0 + 2e-7, 20.0});
  BufferRuns floats = runs_of(sum);
  floats.orders = {other_sum};
  const Comparison sums = compare(floats, bytes(Element::f32, {1.0, 99.0}), {});
  EXPECT_TRUE(sums.equal());
  EXPECT_EQ(sums.order_dependent, 1U);  // rounding is not order in this sense
  EXPECT_EQ(sums.first_order_dependent, 1U);
}

TEST(Compare, WhatWasNeverWrittenIsNotCompared) {
  const auto first = bytes(Element::f32, {1, kNan}), second = bytes(Element::f32, {1, 5});
  BufferRuns runs = runs_of(first);
  runs.other_poison = second;
  const Comparison result = compare(runs, bytes(Element::f32, {1, 77}), {});
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.compared, 1U);
  EXPECT_EQ(result.changed, 1U);
}

TEST(Compare, CountsWhatTheReferenceChanged) {
  const auto before = bytes(Element::f32, {0, 0, 0}), after = bytes(Element::f32, {0, 2, 3});
  BufferRuns runs = runs_of(after);
  runs.before = before;
  EXPECT_EQ(compare(runs, after, {}).changed, 2U);
  runs.before = after;
  EXPECT_EQ(compare(runs, after, {}).changed, 0U);
}

TEST(Compare, RunsOfOneSideAreEqualToTheBitWhereWritten) {
  const auto a = bytes(Element::f32, {1, 2, kNan}), b = bytes(Element::f32, {1, 3, kNan});
  EXPECT_EQ(first_unequal(Element::f32, a, b, {}, {}), 1U);
  EXPECT_EQ(first_unequal(Element::f32, a, a, {}, {}), std::nullopt);
  EXPECT_EQ(first_unequal(Element::f32, a, b, a, b), std::nullopt);  // the second was never written
}

}  // namespace
}  // namespace tqm::port
