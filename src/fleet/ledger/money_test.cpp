#include "fleet/ledger/money.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tqm::fleet {
namespace {

TEST(Money, ReadsYuanExactly) {
  EXPECT_EQ(*parse_yuan("12"), 12 * kYuan);
  EXPECT_EQ(*parse_yuan("12.5"), 12'500'000);
  EXPECT_EQ(*parse_yuan("0.000001"), 1);
  EXPECT_EQ(*parse_yuan("1000000000"), kMostMoney);
}

TEST(Money, RefusesWhatIsNoAmount) {
  for (const char* text : {"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "1.0000001", "12345678901", "1 "})
    EXPECT_FALSE(parse_yuan(text).ok()) << text;
  EXPECT_EQ(parse_yuan("1000000000.01").error().what, "the amount is too large");
  EXPECT_EQ(parse_yuan("x").error().message(),
            "not an amount of money (x): write yuan with at most six digits after the point, as in 12.50");
}

TEST(Money, WritesAtLeastTheFen) {
  EXPECT_EQ(yuan_text(0), "0.00");
  EXPECT_EQ(yuan_text(12'500'000), "12.50");
  EXPECT_EQ(yuan_text(-1), "-0.000001");
  EXPECT_EQ(yuan_text(INT64_MIN), "-9223372036854.775808");
}

TEST(Money, RefusesASumThatDoesNotFit) {
  EXPECT_FALSE(add_money(INT64_MAX, 1).ok());
}

RC_GTEST_PROP(Money, WhatIsWrittenReadsBack, ()) {
  const Micro amount = *rc::gen::inRange<Micro>(0, kMostMoney + 1);
  RC_ASSERT(*parse_yuan(yuan_text(amount)) == amount);
}

}  // namespace
}  // namespace tqm::fleet
