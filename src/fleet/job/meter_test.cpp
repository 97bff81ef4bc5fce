#include "fleet/job/meter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace tqm::fleet {
namespace {

Meter meter(int64_t paid_to) {
  return {{36 * kYuan, 0, 0}, 0, paid_to, 1, 0, 0};
}  // 0.01 yuan a second

TEST(Meter, AReportSentTwiceOrLateCountsOnce) {
  Counted counted = count(meter(100), {1, 0, 10, 0}).take();
  EXPECT_EQ(counted.seconds, 10);
  EXPECT_EQ(counted.charge.net(), 10 * kFen);
  counted = count(counted.after, {1, 0, 10, 0}).take();
  EXPECT_EQ(counted.seconds, 0);
  EXPECT_EQ(counted.charge.gross, 0);
  counted = count(counted.after, {1, 10, 30, 25}).take();
  EXPECT_EQ(counted.seconds, 20);
  counted = count(counted.after, {1, 0, 20, 15}).take();
  EXPECT_EQ(counted.seconds, 0);
  EXPECT_EQ(counted.after.checkpoint, 25);
}

TEST(Meter, RefusesAnotherAttemptAndAGap) {
  EXPECT_EQ(count(meter(100), {2, 0, 10, 0}).error().kind, ErrorKind::conflict);
  EXPECT_EQ(count(meter(100), {1, 5, 10, 0}).error().kind, ErrorKind::internal);
  EXPECT_EQ(count(meter(100), {1, 10, 5, 0}).error().kind, ErrorKind::bad_input);
  EXPECT_EQ(count(meter(100), {1, 0, 5, 6}).error().kind, ErrorKind::bad_input);
}

TEST(Meter, WhatWasNotPaidForIsNotCharged) {
  const Counted counted = count(meter(7), {1, 0, 10, 10}).take();
  EXPECT_EQ(counted.seconds, 7);
  EXPECT_EQ(counted.unpaid, 3);
  EXPECT_EQ(counted.after.checkpoint, 7);
}

TEST(Meter, PaysAheadAsFarAsTheMoneyReaches) {
  const Extension full = extend(meter(0), 120, 1000, 10 * kYuan).take();
  EXPECT_EQ(full.after.paid_to, 120);
  EXPECT_EQ(full.hold, 120 * kFen);
  const Extension some = extend(meter(0), 120, 1000, 50 * kFen + 9999).take();
  EXPECT_EQ(some.after.paid_to, 50);
  EXPECT_EQ(some.short_of, 70);
  EXPECT_EQ(extend(meter(0), 120, 30, 10 * kYuan)->after.paid_to, 30);
  EXPECT_EQ(extend(full.after, 120, 1000, 0)->hold, 0);
  EXPECT_EQ(extend(meter(0), 120, 1000, -5)->after.paid_to, 0);
}

TEST(Meter, WorkDoneAgainIsCredited) {
  Meter lost = meter(200);
  lost.seconds = 150, lost.counted = 100, lost.checkpoint = 70;
  EXPECT_EQ(redone(lost)->seconds, 30);
  EXPECT_EQ(redone(lost)->credit, 30 * kFen);
  EXPECT_EQ(begin_attempt(lost, 2), (Meter{lost.terms, 150, 150, 2, 0, 0}));
}

// The hold covers exactly the seconds from `seconds` to `paid_to`, through any reports and extensions, and every
// charge is for what was run.
RC_GTEST_PROP(Meter, TheHoldCoversWhatIsPaidTo, ()) {
  Meter now = meter(0);
  now.terms = {*rc::gen::inRange<Micro>(0, 1000 * kYuan), *rc::gen::element(0, 30), *rc::gen::element(0, 15)};
  Micro held = 0, charged = 0;
  int64_t ran = 0, acknowledged = 0;
  const int steps = *rc::gen::inRange(1, 50);
  for (int step = 0; step < steps; ++step) {
    if (*rc::gen::arbitrary<bool>()) {
      const Micro money = *rc::gen::inRange<Micro>(0, 50 * kYuan);
      const Extension extension = extend(now, *rc::gen::inRange(0, 200), 5000, money).take();
      RC_ASSERT(extension.hold >= 0 && extension.hold <= money);
      held += extension.hold;
      now = extension.after;
    } else {
      ran = std::min(paid_until(now), ran + *rc::gen::inRange(0, 100));
      const int64_t to = *rc::gen::inRange<int64_t>(acknowledged, ran + 1);
      const Counted counted = count(now, {1, acknowledged, to, 0}).take();
      RC_ASSERT(counted.unpaid == 0);
      held -= counted.charge.net();
      charged += counted.charge.net();
      now = counted.after;
      if (*rc::gen::arbitrary<bool>()) acknowledged = to;
    }
    RC_ASSERT(held == charge_of(now.terms, now.paid_to)->net() - charge_of(now.terms, now.seconds)->net());
    RC_ASSERT(charged == charge_of(now.terms, now.seconds)->net());
    RC_ASSERT(now.seconds <= now.paid_to);
  }
}

}  // namespace
}  // namespace tqm::fleet
