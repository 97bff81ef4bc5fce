#include <gtest/gtest.h>

#include "fleet/operate/jobs.hpp"
#include "fleet/store/ledger_rows.hpp"
#include "fleet/store/store.hpp"

namespace tqm::fleet {
namespace {

constexpr int64_t kWall = 1'800'000'000'000;

class Operate : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status made = store_->write([&](Connection& c) {
      return create_organisation(c, decide_, {"org", "Org", OrganisationKind::company, kWall, {}}, actor());
    });
    ASSERT_TRUE(made.ok());
    type_.id = "cpu.1";
    type_.prices = {{0, 36 * kYuan, {}, {}}};  // 0.01 yuan a second
  }
  Actor actor() const { return {"li", kWall + ms_}; }
  Now now() const { return {kWall + ms_, {1, ms_}}; }

  Result<std::string> submit(const std::string& id, const std::string& key, int64_t limit_s = 1000) {
    Submission order;
    order.id = id;
    order.organisation = "org";
    order.idempotency_key = key;
    order.spec.command = {"true"};
    order.spec.node_type = "cpu.1";
    order.spec.time_limit_s = limit_s;
    order.quote = make_quote(type_, 1, false, actor().now_ms).take();
    return store_->write([&](Connection& c) { return submit_job(c, decide_, order, actor()); });
  }
  void start_and_claim(const std::string& holder) {
    ASSERT_TRUE(*store_->write([&](Connection& c) { return start_attempt(c, decide_, "j", now()); }));
    const int64_t attempt = job().lease.attempt;
    ASSERT_TRUE(
        store_->write([&](Connection& c) { return claim_attempt(c, decide_, "j", attempt, holder, now()); }).ok());
  }
  Result<Permit> renew(const std::string& holder, UseReport use) {
    return store_->write([&](Connection& c) { return renew_attempt(c, decide_, "j", holder, use, now()); });
  }
  Status end(const std::string& holder, UseReport use, EndReason reason) {
    return store_->write([&](Connection& c) { return end_attempt(c, decide_, "j", holder, use, reason, now()); });
  }
  Status lose(int64_t attempt) {
    return store_->write(
        [&](Connection& c) { return lose_attempt(c, decide_, "j", attempt, EndReason::silent, now()); });
  }
  JobRow job() {
    return store_->read([](Connection& c) { return job_of(c, "j"); }).take();
  }
  Micro balance(const std::string& account) {
    return store_->read([&](Connection& c) { return balance_of(c, account); }).take();
  }

  Decide decide_;
  NodeType type_;
  int64_t ms_ = 0;
  std::unique_ptr<Store> store_ = Store::open(":memory:", {false, false, 1}).take();
};

TEST_F(Operate, AJobIsPaidByTheSecond) {
  ASSERT_EQ(*submit("j", "k"), "j");
  EXPECT_EQ(*submit("other", "k"), "j");
  EXPECT_EQ(submit("third", "k", 7).error().kind, ErrorKind::conflict);
  start_and_claim("a");
  EXPECT_EQ(balance("lot/trial-org"), kTrialCredit - 130 * kFen);
  EXPECT_EQ(renew("a", {1, 0, 3, 0})->paid_until, 133);
  ASSERT_TRUE(end("a", {1, 3, 5, 5}, EndReason::done).ok());
  ASSERT_TRUE(end("a", {1, 3, 5, 5}, EndReason::done).ok());
  EXPECT_EQ(job().state, JobState::done);
  EXPECT_EQ(balance("lot/trial-org"), kTrialCredit - 5 * kFen);
  EXPECT_EQ(balance("revenue"), 5 * kFen);
}

TEST_F(Operate, AnEndThatComesAfterTheLossIsRefused) {
  ASSERT_TRUE(submit("j", "k").ok());
  start_and_claim("a");
  ASSERT_TRUE(renew("a", {1, 0, 3, 1}).ok());
  EXPECT_EQ(lose(1).error().kind, ErrorKind::conflict);
  ms_ += kFenceMs + 1;
  ASSERT_TRUE(lose(1).ok());
  EXPECT_EQ(job().state, JobState::queued);
  EXPECT_EQ(balance("lot/redone-j-1"), 2 * kFen);
  EXPECT_EQ(end("a", {1, 3, 9, 9}, EndReason::done).error().kind, ErrorKind::conflict);
  EXPECT_EQ(renew("a", {1, 3, 9, 9}).error().kind, ErrorKind::conflict);
  start_and_claim("b");
  EXPECT_EQ(end("a", {1, 3, 9, 9}, EndReason::done).error().kind, ErrorKind::conflict);
  EXPECT_TRUE(end("b", {2, 0, 1, 1}, EndReason::done).ok());
  const auto attempts = store_->read([](Connection& c) { return attempts_of(c, "j"); }).take();
  EXPECT_EQ(attempts.at(0).reason, EndReason::silent);
  EXPECT_EQ(attempts.at(0).holder, "a");
  EXPECT_EQ(attempts.at(1).reason, EndReason::done);
}

TEST_F(Operate, StopsWhenTheCreditEndsAndGoesOnAfterATopUp) {
  type_.prices = {{0, 3600 * kYuan, {}, {}}};  // a yuan a second: the trial is 10 s
  EXPECT_EQ(submit("j", "k").error().kind, ErrorKind::payment);
  ASSERT_TRUE(store_
                  ->write([&](Connection& c) {
                    return give_credit(c, decide_, {"p", "org", LotKind::paid, {}, 125 * kYuan}, "", actor());
                  })
                  .ok());
  ASSERT_TRUE(submit("j", "k").ok());
  start_and_claim("a");
  const Permit permit = renew("a", {1, 0, 50, 0}).take();
  EXPECT_EQ(permit.paid_until, 135);
  EXPECT_EQ(permit.why, EndReason::unpaid);
  ASSERT_TRUE(end("a", {1, 50, 135, 135}, EndReason::unpaid).ok());
  EXPECT_EQ(job().state, JobState::unpaid);
  EXPECT_FALSE(*store_->write([&](Connection& c) { return start_attempt(c, decide_, "j", now()); }));
  ASSERT_TRUE(store_
                  ->write([&](Connection& c) {
                    return give_credit(c, decide_, {"q", "org", LotKind::paid, {}, 500 * kYuan}, "", actor());
                  })
                  .ok());
  EXPECT_TRUE(store_->write([&](Connection& c) { return desired_jobs(c, decide_, now()); })->at(0).affordable);
  start_and_claim("b");
  EXPECT_EQ(job().state, JobState::active);
}

TEST_F(Operate, ARefundIsMadeOnceAndAudited) {
  ASSERT_TRUE(store_
                  ->write([&](Connection& c) {
                    return give_credit(c, decide_, {"p", "org", LotKind::paid, {}, 9 * kYuan}, "", actor());
                  })
                  .ok());
  const auto back = [&](const std::string& lot) {
    return store_->write([&](Connection& c) { return refund_lot(c, lot, 5 * kYuan, "refund/1" + lot, "", actor()); });
  };
  EXPECT_TRUE(back("p").ok());
  EXPECT_TRUE(back("p").ok());
  EXPECT_EQ(balance("lot/p"), 4 * kYuan);
  EXPECT_EQ(back("trial-org").error().kind, ErrorKind::payment);
  EXPECT_EQ(back("nothing").error().kind, ErrorKind::not_found);
  const auto audit = store_->read([](Connection& c) { return audit_of(c, "org", 0, 10); }).take();
  EXPECT_EQ(audit.size(), 4u);
  EXPECT_EQ(audit.back().action, "refund");
}

TEST_F(Operate, ABillGivesThePartOfAFenBackOnce) {
  type_.prices = {{0, kYuan, {}, {}}};  // 277.77 micro-yuan a second
  ASSERT_TRUE(submit("j", "k").ok());
  start_and_claim("a");
  ASSERT_TRUE(end("a", {1, 0, 100, 0}, EndReason::done).ok());
  ms_ += 1000;
  const auto bill = [&] {
    return store_->write([&](Connection& c) { return bill_organisation(c, "org", kWall - 1, kWall + 1000, actor()); });
  };
  EXPECT_EQ(bill()->exact, 27'777);
  EXPECT_EQ(bill()->rounded, 20'000);
  EXPECT_EQ(balance("lot/rounding-org"), 7'777);
  ms_ -= 1;
  EXPECT_EQ(bill().error().kind, ErrorKind::conflict);
}

TEST_F(Operate, AWishAgainstTheEndIsRefused) {
  ASSERT_TRUE(submit("j", "k").ok());
  const auto want = [&](Want wish) {
    return store_->write([&](Connection& c) { return set_want(c, "j", wish, actor()); });
  };
  ASSERT_TRUE(want(Want::cancel).ok());
  EXPECT_EQ(want(Want::run).error().kind, ErrorKind::conflict);
  ASSERT_TRUE(store_->write([&](Connection& c) { return finish_job(c, "j", JobState::cancelled, now()); }).ok());
  EXPECT_EQ(want(Want::cancel).error().kind, ErrorKind::conflict);
  EXPECT_EQ(store_->write([&](Connection& c) { return start_attempt(c, decide_, "j", now()); }).error().kind,
            ErrorKind::conflict);
}

}  // namespace
}  // namespace tqm::fleet
