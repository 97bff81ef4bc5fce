#include "port/verify/expression.hpp"

#include <gtest/gtest.h>

namespace tqm::port {
namespace {

std::int64_t value(std::string_view text) {
  const auto result = evaluate(text, {{"n", 1000}, {"rows", 3}}, "h.toml:4");
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
  return result.ok() ? *result : -999;
}

std::string refusal(std::string_view text) {
  const auto result = evaluate(text, {{"n", 1000}, {"rows", 3}}, "h.toml:4");
  return result.ok() ? "taken" : result.error().message();
}

TEST(Expression, CountsAsCDoes) {
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("n / 256 * 256 + n % 256"), 1000);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("-rows + 5"), 2);
  EXPECT_EQ(value("-7 / 2"), -3);
}

TEST(Expression, KnowsTheFourFunctions) {
  EXPECT_EQ(value("cdiv(n, 256)"), 4);
  EXPECT_EQ(value("cdiv(1024, 256)"), 4);
  EXPECT_EQ(value("align(n, 256)"), 1024);
  EXPECT_EQ(value("min(n, rows) + max(n, rows)"), 1003);
  EXPECT_EQ(value("min(cdiv(n, 64), 8) * 2"), 16);
}

TEST(Expression, RefusesWithThePlace) {
  EXPECT_NE(refusal("m + 1").find("there is no size 'm'"), std::string::npos);
  EXPECT_NE(refusal("row").find("did you mean rows?"), std::string::npos);
  EXPECT_NE(refusal("row").find("h.toml:4"), std::string::npos);
  EXPECT_NE(refusal("n / (rows - 3)").find("division by zero"), std::string::npos);
  EXPECT_NE(refusal("n * 9223372036854775807").find("beyond 64 bits"), std::string::npos);
  EXPECT_NE(refusal("99999999999999999999").find("beyond 64 bits"), std::string::npos);
  EXPECT_NE(refusal("(n").find("not closed"), std::string::npos);
  EXPECT_NE(refusal("n 2").find("'2' is more than an expression"), std::string::npos);
  EXPECT_NE(refusal("").find("ends too early"), std::string::npos);
  EXPECT_NE(refusal("sqrt(n, 2)").find("no function 'sqrt'"), std::string::npos);
  EXPECT_NE(refusal("cdiv(n)").find("takes two values"), std::string::npos);
  EXPECT_NE(refusal("cdiv(n, 0)").find("one above 0"), std::string::npos);
  EXPECT_NE(refusal(std::string(200, '(')).find("too deeply"), std::string::npos);
  EXPECT_NE(refusal("n; 2").find("more than an expression"), std::string::npos);
}

}  // namespace
}  // namespace tqm::port
