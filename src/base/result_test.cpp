#include "base/result.hpp"

#include <gtest/gtest.h>

namespace tqm {
namespace {

Result<int> half(int n) {
  if (n % 2) return Error{ErrorKind::bad_input, "odd", "n", "give an even number"};
  return n / 2;
}
Result<int> quarter(int n) {
  int h = TRY(half(n));
  return TRY(half(h));
}
Status check(int n) {
  TRY(half(n));
  return {};
}

TEST(Result, try_hands_the_value_on_and_the_error_up) {
  EXPECT_EQ(*quarter(12), 3);
  ASSERT_FALSE(quarter(6).ok());
  EXPECT_EQ(quarter(6).error().message(), "odd (n): give an even number");
  EXPECT_TRUE(check(2).ok());
  EXPECT_EQ(check(3).error().kind, ErrorKind::bad_input);
}

TEST(Result, each_kind_has_one_exit_code_and_one_status) {
  EXPECT_EQ(exit_code(ErrorKind::bad_input), 1);
  EXPECT_EQ(exit_code(ErrorKind::check_failed), 2);
  EXPECT_EQ(exit_code(ErrorKind::stopped), 75);
  EXPECT_EQ(exit_code(ErrorKind::internal), 70);
  EXPECT_EQ(http_status(ErrorKind::payment), 402);
}

}  // namespace
}  // namespace tqm
