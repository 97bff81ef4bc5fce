#include "fleet/ledger/charge.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tqm::fleet {
namespace {

Terms any_terms() {
  Terms terms;
  terms.price_hour = *rc::gen::inRange<Micro>(0, 10'000 * kYuan);
  terms.domestic_percent = *rc::gen::element(0, kDomesticPercent, 100);
  terms.sector_percent = *rc::gen::element(0, kSectorPercent, 100);
  return terms;
}

// By decimal long hand: 100 yuan an hour, 1,000 s: 27.777777 yuan, 30 % is 8.333333, 15 % of the rest 2.916666.
TEST(Charge, TakesTheSubsidiesOneAfterTheOther) {
  const Charge charge = charge_of({100 * kYuan, kDomesticPercent, kSectorPercent}, 1000).take();
  EXPECT_EQ(charge.gross, 27'777'777);
  EXPECT_EQ(charge.domestic, 8'333'333);
  EXPECT_EQ(charge.sector, 2'916'666);
  EXPECT_EQ(charge.net(), 16'527'778);
}

TEST(Charge, RefusesWhatIsOutOfRange) {
  EXPECT_FALSE(charge_of({1, 0, 0}, -1).ok());
  EXPECT_FALSE(charge_of({1, 0, 0}, kMostSeconds + 1).ok());
  EXPECT_FALSE(charge_of({-1, 0, 0}, 1).ok());
  EXPECT_FALSE(charge_of({1, 101, 0}, 1).ok());
  EXPECT_FALSE(charge_of({kMostMoney, 0, 0}, kMostSeconds).ok());
  EXPECT_EQ(charge_of({kMostMoney, 0, 0}, kMostSeconds).error().what, "the charge does not fit into 64 bits");
}

RC_GTEST_PROP(Charge, HoweverTimeIsCutTheSumIsTheSame, ()) {
  const Terms terms = any_terms();
  const auto cuts = *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 100'000));
  int64_t seconds = 0;
  Charge before, sum;
  for (int64_t cut : cuts) {
    seconds += cut;
    const Charge now = charge_of(terms, seconds).take();
    const Charge part = now - before;
    RC_ASSERT(part.gross >= 0);
    RC_ASSERT(part.domestic >= 0);
    RC_ASSERT(part.sector >= 0);
    RC_ASSERT(part.net() >= 0);
    sum.gross += part.gross, sum.domestic += part.domestic, sum.sector += part.sector;
    before = now;
  }
  RC_ASSERT(sum == charge_of(terms, seconds).take());
}

RC_GTEST_PROP(Charge, MoneyBuysAsManySecondsAsItCovers, ()) {
  const Terms terms = any_terms();
  const Micro money = *rc::gen::inRange<Micro>(-1, 10'000 * kYuan);
  const int64_t most = 1'000'000;
  const int64_t seconds = seconds_for(terms, money, most).take();
  RC_ASSERT(seconds >= 0 && seconds <= most);
  if (money >= 0) RC_ASSERT(charge_of(terms, seconds)->net() <= money);
  if (money >= 0 && seconds < most) RC_ASSERT(charge_of(terms, seconds + 1)->net() > money);
}

}  // namespace
}  // namespace tqm::fleet
