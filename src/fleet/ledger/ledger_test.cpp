// The laws of money, over random histories of lots, holds, charges and releases kept in a plain map.
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "fleet/ledger/bill.hpp"
#include "fleet/ledger/hold.hpp"

namespace tqm::fleet {
namespace {

const JobAccount kJob{"org", "job"};

Lot lot(std::string id, LotKind kind, Micro balance, std::optional<int64_t> expires_ms = {}) {
  return {std::move(id), "org", kind, expires_ms, balance};
}

class Books {
 public:
  void post(const Transaction& transaction) {
    const Status checked = check_transaction(transaction);
    RC_ASSERT(checked.ok());
    for (const Entry& entry : transaction.entries) {
      balances_[entry.account] += entry.amount;
      if (never_below_zero(entry.account)) RC_ASSERT(balances_[entry.account] >= 0);
    }
    posted.push_back(transaction);
  }
  std::vector<Lot> fill(std::vector<Lot> lots, bool held) const {
    for (Lot& one : lots) {
      const auto found = balances_.find(held ? held_account(kJob.job, one.id) : lot_account(one.id));
      one.balance = found == balances_.end() ? 0 : found->second;
    }
    return lots;
  }
  Micro sum() const {
    Micro sum = 0;
    for (const auto& [account, balance] : balances_) sum += balance;
    return sum;
  }
  Micro balance(const std::string& account) const {
    const auto found = balances_.find(account);
    return found == balances_.end() ? 0 : found->second;
  }
  std::vector<Transaction> posted;

 private:
  std::map<std::string, Micro> balances_;
};

TEST(Lot, WhatExpiresFirstIsDrawnFirstAndPaidMoneyLast) {
  const std::vector<Lot> lots = {lot("paid", LotKind::paid, 1),          lot("trial", LotKind::trial, 1),
                                 lot("later", LotKind::voucher, 1, 300), lot("soon", LotKind::research, 1, 200),
                                 lot("gone", LotKind::voucher, 1, 100),  lot("empty", LotKind::trial, 0)};
  std::vector<std::string> order;
  for (const Lot& one : drawable(lots, 100)) order.push_back(one.id);
  EXPECT_EQ(order, (std::vector<std::string>{"soon", "later", "trial", "paid"}));
}

TEST(Lot, TheTrialIsGivenOnce) {
  const GrantRequest request{lot("t", LotKind::trial, kTrialCredit), "trial/org", ""};
  EXPECT_TRUE(grant(request, {}, 1).ok());
  EXPECT_EQ(grant(request, {1, 0, false}, 1).error().kind, ErrorKind::payment);
  EXPECT_FALSE(grant({lot("t", LotKind::trial, 11 * kYuan), "k", ""}, {}, 1).ok());
}

TEST(Lot, ResearchVouchersEndAtFiftyThousandYuan) {
  const GrantRequest request{lot("r", LotKind::research, 20'000 * kYuan, 1000), "k", ""};
  EXPECT_TRUE(grant(request, {0, 30'000 * kYuan, true}, 1).ok());
  EXPECT_EQ(grant(request, {0, 30'001 * kYuan, true}, 1).error().message(),
            "research vouchers end at 50000.00 yuan an organisation; it has had 30001.00 (org): give at most 19999.00");
  EXPECT_EQ(grant(request, {0, 0, false}, 1).error().kind, ErrorKind::payment);
}

TEST(Lot, RefusesAPastExpiryAndPaidVouchers) {
  EXPECT_FALSE(grant({lot("v", LotKind::voucher, 1, 5), "k", ""}, {}, 5).ok());
  EXPECT_FALSE(grant({lot("v", LotKind::paid, 1), "k", ""}, {}, 5).ok());
  EXPECT_FALSE(top_up(lot("v", LotKind::voucher, 1), "k", "", 5).ok());
  EXPECT_FALSE(top_up(lot("v", LotKind::paid, -1), "k", "", 5).ok());
}

TEST(Lot, OnlyPaidMoneyThatIsLeftIsRefunded) {
  EXPECT_TRUE(refund(lot("p", LotKind::paid, 5), 5, "k", "", 1).ok());
  EXPECT_EQ(refund(lot("p", LotKind::paid, 5), 6, "k", "", 1).error().kind, ErrorKind::payment);
  EXPECT_EQ(refund(lot("v", LotKind::voucher, 5), 5, "k", "", 1).error().kind, ErrorKind::payment);
  EXPECT_FALSE(refund(lot("p", LotKind::paid, 5), 0, "k", "", 1).ok());
}

TEST(Hold, RefusesMoreThanIsFree) {
  const std::vector<Lot> lots = {lot("p", LotKind::paid, 5), lot("v", LotKind::voucher, 9, 10)};
  EXPECT_TRUE(hold(kJob, lots, 14, "k", 9).ok());
  EXPECT_EQ(hold(kJob, lots, 14, "k", 10).error().message(),
            "the credit does not suffice: 0.000014 yuan are needed, 0.000005 are free (org): top up");
}

TEST(Hold, AVoucherThatExpiredMeanwhilePaysButDoesNotComeBack) {
  const std::vector<Lot> held = {lot("v", LotKind::voucher, 9, 10)};
  EXPECT_TRUE(charge(kJob, held, {4, 0, 0}, 1, "k", 11).ok());
  const Transaction back = *release(kJob, held, "k", 11);
  EXPECT_EQ(back.entries, (std::vector<Entry>{{"held/job/v", -9}, {"expired", 9}}));
  EXPECT_EQ(release(kJob, held, "k", 9)->entries, (std::vector<Entry>{{"held/job/v", -9}, {"lot/v", 9}}));
}

TEST(Hold, RefusesAChargeBeyondTheHold) {
  const std::vector<Lot> held = {lot("p", LotKind::paid, 3)};
  EXPECT_EQ(charge(kJob, held, {4, 0, 0}, 1, "k", 1).error().kind, ErrorKind::internal);
  EXPECT_FALSE(charge(kJob, held, {0, 0, 0}, 1, "k", 1).ok());
  EXPECT_FALSE(release(kJob, {}, "k", 1));
}

TEST(Transaction, RefusesWhatDoesNotBalance) {
  Transaction t;
  t.key = "k";
  t.entries = {{"outside", -5}, {"lot/a", 4}};
  EXPECT_EQ(check_transaction(t).error().what, "the entries add up to -0.000001, not to zero");
  t.entries = {{"outside", -5}, {"lot/a", 5}};
  EXPECT_TRUE(check_transaction(t).ok());
  t.entries = {{"outside", -5}, {"outside", 5}};
  EXPECT_FALSE(check_transaction(t).ok());
  t.entries = {{"somewhere", -5}, {"lot/a", 5}};
  EXPECT_EQ(check_transaction(t).error().what, "no account of the ledger: 'somewhere'");
  t.entries = {{"held/a", -5}, {"lot/../x", 5}};
  EXPECT_FALSE(check_transaction(t).ok());
  t.entries = {{"outside", 0}, {"lot/a", 0}};
  EXPECT_FALSE(check_transaction(t).ok());
  t.entries = {};
  EXPECT_FALSE(check_transaction(t).ok());
}

TEST(Bill, EscapesWhatPeopleWrote) {
  Transaction credit = grant({lot("c", LotKind::credit, 5), "k", "<b>\"late\", sorry"}, {}, 1).take();
  const Bill bill = make_bill("org", 0, 10, std::vector{credit}).take();
  EXPECT_EQ(bill.exact, -5);
  EXPECT_EQ(bill.rounded, -kFen);
  EXPECT_NE(bill_html(bill).find("&lt;b&gt;&quot;late&quot;, sorry"), std::string::npos);
  EXPECT_NE(bill_csv(bill).find("\"<b>\"\"late\"\", sorry\""), std::string::npos);
}

// Random histories: whatever happens, every transaction balances, nothing owned goes below zero, money is neither made
// nor lost, and the bill is the ledger.
RC_GTEST_PROP(Ledger, NoHistoryMakesOrLosesMoney, ()) {
  Books books;
  std::vector<Lot> lots;
  Terms terms{*rc::gen::inRange<Micro>(1, 1000 * kYuan), *rc::gen::element(0, 30), *rc::gen::element(0, 15)};
  int64_t now = 1, seconds = 0, paid_to = 0;
  Micro given = 0;
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    now += *rc::gen::inRange(0, 50);
    const std::string key = "k" + std::to_string(step);
    switch (*rc::gen::inRange(0, 6)) {
      case 0: {
        const bool paid = *rc::gen::arbitrary<bool>();
        Lot one = lot("lot" + std::to_string(step), paid ? LotKind::paid : LotKind::voucher,
                      *rc::gen::inRange<Micro>(1, 500 * kYuan));
        if (!paid) one.expires_ms = now + *rc::gen::inRange(1, 200);
        books.post(paid ? top_up(one, key, "", now).take() : grant({one, key, ""}, {}, now).take());
        given += one.balance;
        lots.push_back(one);
        break;
      }
      case 1: {  // as a renewal does: hold what the next seconds cost, no more
        const int64_t wanted = seconds + *rc::gen::inRange(1, 200);
        const Micro need = charge_of(terms, wanted)->net() - charge_of(terms, paid_to)->net();
        if (wanted <= paid_to || need <= 0) break;
        const auto held = hold(kJob, books.fill(lots, false), need, key, now);
        if (!held) break;
        books.post(*held);
        paid_to = wanted;
        break;
      }
      case 2:
      case 3: {
        const int64_t ran = std::min(paid_to, seconds + *rc::gen::inRange(0, 100));
        const Charge part = charge_of(terms, ran).take() - charge_of(terms, seconds).take();
        if (part.gross <= 0) break;
        books.post(charge(kJob, books.fill(lots, true), part, ran - seconds, key, now).take());
        seconds = ran;
        break;
      }
      case 4:
        for (const Lot& one : books.fill(lots, false))
          if (const auto gone = expire(one, now)) {
            books.post(*gone);
            RC_ASSERT(books.balance(lot_account(one.id)) == 0);
          }
        break;
      case 5:
        if (const auto back = release(kJob, books.fill(lots, true), key, now)) books.post(*back);
        RC_ASSERT(total(books.fill(lots, true)) == 0);
        paid_to = seconds;
        break;
      default:
        break;
    }
    RC_ASSERT(books.sum() == 0);
  }
  const Bill bill = make_bill("org", 0, now + 1, books.posted).take();
  Micro lines = 0;
  for (const BillLine& line : bill.lines) {
    lines += line.net;
    RC_ASSERT(line.net == line.gross - line.domestic - line.sector);
  }
  RC_ASSERT(lines == bill.exact);
  RC_ASSERT(bill.rounded % kFen == 0);
  RC_ASSERT(bill.remainder() >= 0 && bill.remainder() < kFen);
  RC_ASSERT(bill.exact ==
            books.balance("revenue") + books.balance("subsidy/domestic") + books.balance("subsidy/sector"));
  RC_ASSERT(given ==
            total(books.fill(lots, false)) + total(books.fill(lots, true)) + bill.exact + books.balance("expired"));
  if (const auto round = round_bill(bill, "c", now)) {
    books.post(*round);
    RC_ASSERT(books.sum() == 0);
  }
  const Json json = bill_json(bill);
  Micro in_json = 0;
  for (const Json& line : json["lines"]) in_json += line["net_microyuan"].get<Micro>();
  RC_ASSERT(in_json == json["total_fen"].get<Micro>() * kFen + json["returned_microyuan"].get<Micro>());
}

}  // namespace
}  // namespace tqm::fleet
