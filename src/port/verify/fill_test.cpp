#include "port/verify/fill.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace tqm::port {
namespace {

constexpr Element kAll[] = {Element::i8,  Element::u8,  Element::i16, Element::u16,  Element::i32, Element::u32,
                            Element::i64, Element::u64, Element::f16, Element::bf16, Element::f32, Element::f64};

std::vector<double> values(Element element, std::size_t count, Fill fill, std::optional<Range> range = {},
                           std::uint64_t seed = 1) {
  Random random(seed);
  const std::vector<std::byte> bytes = filled(element, count, fill, range, random);
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(value_at(element, bytes.data() + i * bytes_of(element)));
  return all;
}

TEST(Fill, TheSameSeedGivesTheSameBytes) {
  Random a(7), b(7), c(8);
  const auto first = filled(Element::f32, 100, Fill::random, {}, a);
  EXPECT_EQ(first, filled(Element::f32, 100, Fill::random, {}, b));
  EXPECT_NE(first, filled(Element::f32, 100, Fill::random, {}, c));
}

TEST(Fill, ARangeIsNeverLeft) {
  for (const Element element : kAll)
    for (const Fill fill : {Fill::random, Fill::zeros, Fill::signed_zeros, Fill::ones, Fill::denormals, Fill::largest,
                            Fill::mixed, Fill::not_finite, Fill::permutation, Fill::ramp})
      for (const double value : values(element, 300, fill, Range{3, 17})) {
        ASSERT_GE(value, 3) << name(element) << " " << name(fill);
        ASSERT_LE(value, 17) << name(element) << " " << name(fill);
      }
}

TEST(Fill, IndicesReachBothEndsOfTheirRange) {
  const auto drawn = values(Element::i32, 500, Fill::random, Range{0, 9});
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()).size(), 10U);
}

TEST(Fill, EdgesAreWhatTheirNamesSay) {
  const auto signs = values(Element::f32, 100, Fill::signed_zeros);
  EXPECT_TRUE(std::any_of(signs.begin(), signs.end(), [](double v) { return std::signbit(v); }));
  EXPECT_TRUE(std::all_of(signs.begin(), signs.end(), [](double v) { return v == 0; }));
  for (const double value : values(Element::f16, 100, Fill::denormals)) {
    EXPECT_NE(value, 0);
    EXPECT_LT(std::fabs(value), std::ldexp(1.0, -14));
  }
  const auto largest = values(Element::i16, 100, Fill::largest);
  EXPECT_EQ(std::set<double>(largest.begin(), largest.end()), (std::set<double>{-32768, 32767}));
  const auto unsigned_largest = values(Element::u8, 100, Fill::largest);
  EXPECT_EQ(std::set<double>(unsigned_largest.begin(), unsigned_largest.end()), (std::set<double>{0, 255}));
  EXPECT_EQ(std::fabs(values(Element::f16, 1, Fill::largest)[0]), 65504);
}

TEST(Fill, OnlyNotFiniteIsNotFinite) {
  for (const Fill fill : {Fill::random, Fill::mixed, Fill::largest})
    for (const double value : values(Element::f16, 2000, fill)) ASSERT_TRUE(std::isfinite(value)) << name(fill);
  const auto wild = values(Element::bf16, 2000, Fill::not_finite);
  EXPECT_TRUE(std::any_of(wild.begin(), wild.end(), [](double v) { return std::isnan(v); }));
  EXPECT_TRUE(std::any_of(wild.begin(), wild.end(), [](double v) { return v > 1e38; }));
  EXPECT_TRUE(std::any_of(wild.begin(), wild.end(), [](double v) { return v < -1e38; }));
}

TEST(Fill, APermutationNamesEachPlaceOnce) {
  const auto order = values(Element::i64, 1000, Fill::permutation);
  EXPECT_EQ(std::set<double>(order.begin(), order.end()).size(), 1000U);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(*std::max_element(order.begin(), order.end()), 999);
  EXPECT_EQ(values(Element::i32, 5, Fill::ramp), (std::vector<double>{0, 1, 2, 3, 4}));
}

TEST(Fill, NamesAreReadBack) {
  for (const Fill fill : kEdgeFills) EXPECT_EQ(fill_named(name(fill)), fill);
  EXPECT_EQ(fill_named("noise"), std::nullopt);
}

}  // namespace
}  // namespace tqm::port
