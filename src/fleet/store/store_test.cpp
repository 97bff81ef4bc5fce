// Every test here runs on SQLite and on PostgreSQL.
#include "fleet/store/store.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "base/file.hpp"
#include "fleet/ledger/hold.hpp"
#include "fleet/store/account_rows.hpp"
#include "fleet/store/backup.hpp"
#include "fleet/store/job_rows.hpp"
#include "fleet/store/ledger_rows.hpp"
#include "fleet/store/postgresql_for_tests.hpp"
#include "fleet/store/schema.hpp"

namespace tqm::fleet {
namespace {

PostgresqlForTests& server() {
  static const std::unique_ptr<PostgresqlForTests> one = [] {
    auto started = PostgresqlForTests::start();
    if (!started) {
      std::fprintf(stderr, "%s\n", started.error().message().c_str());
      std::exit(1);
    }
    return std::move(started).take();
  }();
  return *one;
}

class Stored : public ::testing::TestWithParam<Dialect> {
 protected:
  std::string new_address() {
    if (GetParam() == Dialect::postgresql) return server().make_database().take();
    return (folder_.path() / ("store" + std::to_string(++databases_) + ".db")).string();
  }
  void SetUp() override { reopen(); }
  void reopen() {
    store_.reset();
    store_ = Store::open(address_, {false, true, 50}).take();
  }
  Store& store() { return *store_; }

  void add_organisation_and_money(Micro money) {
    ASSERT_TRUE(store()
                    .write([&](Connection& c) -> Status {
                      TRY(add_organisation(c, {"org", "Org", OrganisationKind::university, 1, {}}));
                      const Lot lot{"paid", "org", LotKind::paid, {}, money};
                      TRY(add_lot(c, lot, 1));
                      TRY(post(c, top_up(lot, "top-up/1", "", 1).take()));
                      return {};
                    })
                    .ok());
  }
  void add_plain_job(const std::string& id) {
    const Status added = store().write([&](Connection& c) -> Status {
      JobRow job;
      job.id = id;
      job.organisation = "org";
      job.spec = job.quote = "{}";
      job.node_type = "cpu.1";
      return add_job(c, job);
    });
    ASSERT_TRUE(added.ok()) << added.error().message();
  }
  std::vector<std::string> faults() {
    return store().read([](Connection& c) { return verify_ledger(c); }).take().faults;
  }

  TemporaryFolder folder_ = TemporaryFolder::make().take();
  int databases_ = 0;
  std::string address_ = new_address();
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(On, Stored, ::testing::Values(Dialect::sqlite, Dialect::postgresql),
                         [](const auto& one) { return one.param == Dialect::sqlite ? "Sqlite" : "Postgresql"; });

TEST_P(Stored, ATransactionIsPostedOnce) {
  add_organisation_and_money(100);
  const auto again = store().write([](Connection& c) -> Result<bool> {
    return post(c, TRY(top_up({"paid", "org", LotKind::paid, {}, 100}, "top-up/1", "", 1)));
  });
  EXPECT_FALSE(*again);
  EXPECT_EQ(*store().read([](Connection& c) { return balance_of(c, "lot/paid"); }), 100);
  EXPECT_EQ(store().read([](Connection& c) { return transactions(c, "org", 0, 2); })->size(), 1u);
  EXPECT_TRUE(faults().empty());
}

TEST_P(Stored, NothingOwnedGoesBelowZero) {
  add_organisation_and_money(100);
  Transaction bad;
  bad.key = "bad";
  bad.entries = {{"lot/paid", -101}, {"outside", 101}};
  const auto posted = store().write([&](Connection& c) { return post(c, bad); });
  EXPECT_EQ(posted.error().kind, ErrorKind::conflict);
  bad.entries = {{"lot/paid", -1}, {"outside", 2}};
  EXPECT_EQ(store().write([&](Connection& c) { return post(c, bad); }).error().kind, ErrorKind::internal);
  EXPECT_EQ(*store().read([](Connection& c) { return balance_of(c, "lot/paid"); }), 100);
  EXPECT_TRUE(faults().empty());
}

TEST_P(Stored, RowsOfTheLedgerAreNeverChanged) {
  add_organisation_and_money(100);
  for (const std::string& table : append_only_tables()) {
    const std::string& column =
        std::find_if(tables().begin(), tables().end(), [&](const Table& t) { return t.name == table; })->columns[0];
    if (table != "posted" && table != "entry") continue;
    for (const std::string& sql : {"UPDATE " + table + " SET " + column + " = " + column, "DELETE FROM " + table}) {
      const auto changed = store().write([&](Connection& c) { return c.run(sql); });
      ASSERT_FALSE(changed.ok()) << sql;
      EXPECT_EQ(changed.error().kind, ErrorKind::conflict) << changed.error().message();
      EXPECT_NE(changed.error().what.find("never changed"), std::string::npos) << changed.error().message();
    }
  }
}

TEST_P(Stored, AFailedWriteTakesBackItsOwnAlone) {
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 0; i < 40; ++i)
    threads.emplace_back([&, i] {
      const Status done = store().write([&](Connection& c) -> Status {
        TRY(add_organisation(c, {"o" + std::to_string(i), "O", OrganisationKind::company, 1, {}}));
        if (i % 4 == 0) return Error{ErrorKind::payment, "no", "", ""};
        return {};
      });
      if (!done.ok()) ++failed;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 10);
  EXPECT_EQ(store().read([](Connection& c) { return c.run("SELECT COUNT(*) FROM organisation"); })->front().number(0),
            30);
  EXPECT_LE(store().commits(), 40);
}

TEST_P(Stored, OnlyWhatTheDatabaseAsksForIsTriedAgain) {
  int calls = 0;
  const Status done = store().write([&](Connection&) -> Status {
    ++calls;
    return Error{ErrorKind::unavailable, "another service is away", "", ""};
  });
  EXPECT_EQ(done.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(calls, 1);
}

TEST_P(Stored, NumbersKeepSixtyFourBits) {
  const OrganisationRow row{"org", "名", OrganisationKind::state_owned, INT64_MIN + 1, {INT64_MAX, {}, kMostMoney}};
  ASSERT_TRUE(store().write([&](Connection& c) { return add_organisation(c, row); }).ok());
  const OrganisationRow back = store().read([](Connection& c) { return organisation_of(c, "org"); }).take();
  EXPECT_EQ(back.created_ms, INT64_MIN + 1);
  EXPECT_EQ(back.limits.running_jobs, INT64_MAX);
  EXPECT_EQ(back.limits.nodes, std::nullopt);
  EXPECT_EQ(back.name, "名");
  EXPECT_FALSE(
      store().write([](Connection& c) { return c.run("INSERT INTO counter (name, value) VALUES ('x', '12x')"); }).ok());
}

TEST_P(Stored, AJobReadsBackAsItWasSaved) {
  add_organisation_and_money(100);
  add_plain_job("j");
  JobRow job = store().read([](Connection& c) { return job_of(c, "j"); }).take();
  job.lease = claim(grant_next({}, {3, 5}).take(), 1, "shim", {3, 6}).take();
  job.lease = node_down(job.lease, {3, 7});
  job.meter = begin_attempt(job.meter, 1);
  job.meter.paid_to = 120;
  job.state = JobState::active, job.want = Want::pause, job.retries_left = 2, job.granted = {3, 5};
  ASSERT_TRUE(store().write([&](Connection& c) { return save_job(c, job); }).ok());
  reopen();
  const JobRow back = store().read([](Connection& c) { return jobs_not_final(c); })->at(0);
  EXPECT_EQ(back.lease, job.lease);
  EXPECT_EQ(back.meter, job.meter);
  EXPECT_EQ(back.state, JobState::active);
  EXPECT_EQ(back.want, Want::pause);
  EXPECT_EQ(back.granted, job.granted);
  EXPECT_EQ(store().read([](Connection& c) { return job_of(c, "k"); }).error().kind, ErrorKind::not_found);
}

// Two services on one database, each with a writer of its own, while a reader goes on from the last number it saw.
TEST_P(Stored, EventsOfOverlappingTransactionsAreNotLost) {
  add_organisation_and_money(100);
  add_plain_job("j");
  const auto other = Store::open(address_, {false, true, 50}).take();
  constexpr int kEach = 60;
  std::atomic<int> writing{2};
  const auto write_events = [&](Store& to, const std::string& who) {
    for (int i = 0; i < kEach; ++i)
      while (!to.write([&](Connection& c) { return add_event(c, "j", i, who + std::to_string(i)); }).ok()) {
      }
    --writing;
  };
  std::thread one([&] { write_events(store(), "a"); }), two([&] { write_events(*other, "b"); });
  const auto reader = Store::open(address_, {false, false, 1}).take();
  std::vector<std::string> seen;
  int64_t last = 0;
  for (bool final_look = false;;) {
    const bool was_writing = writing > 0;
    for (const EventRow& event : reader->read([&](Connection& c) { return events_after(c, "j", last, 7); }).take()) {
      EXPECT_EQ(event.number, last + 1);
      last = event.number;
      seen.push_back(event.body);
    }
    if (last == 2 * kEach || final_look) break;
    final_look = !was_writing && last >= 2 * kEach;
    ASSERT_TRUE(was_writing || last <= 2 * kEach);
  }
  one.join(), two.join();
  EXPECT_EQ(seen.size(), 2u * kEach);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 2u * kEach);
}

// Two services spend the same credit at once: together never more than there is.
TEST_P(Stored, CreditIsNotSpentTwice) {
  add_organisation_and_money(100);
  const auto other = Store::open(address_, {false, true, 50}).take();
  std::atomic<int> held{0};
  const auto spend = [&](Store& from, const std::string& who) {
    for (int i = 0; i < 20; ++i) {
      const std::string job = who + std::to_string(i);
      const auto done = from.write([&](Connection& c) -> Result<bool> {
        const std::vector<Lot> lots = TRY(lots_of(c, "org"));
        const Transaction holding = TRY(hold({"org", job}, lots, 7, "hold/" + job, 1));
        return post(c, holding);
      });
      if (done.ok()) ++held;
    }
  };
  std::thread one([&] { spend(store(), "a"); }), two([&] { spend(*other, "b"); });
  one.join(), two.join();
  EXPECT_EQ(held, 14);
  EXPECT_EQ(*store().read([](Connection& c) { return balance_of(c, "lot/paid"); }), 2);
}

TEST_P(Stored, AKeyOpensUntilItIsRevoked) {
  add_organisation_and_money(1);
  std::array<std::byte, 32> random{};
  const NewKey key = make_key("k1", "li", {Scope::read, Scope::jobs}, {}, random, 1).take();
  ASSERT_TRUE(store()
                  .write([&](Connection& c) -> Status {
                    TRY(add_member(c, {"li", "org", "Li", Role::member, 1}));
                    return add_key(c, key.kept);
                  })
                  .ok());
  const Caller caller = store().read([&](Connection& c) { return caller_of(c, key.shown, 2); }).take();
  EXPECT_EQ(caller.organisation, "org");
  EXPECT_EQ(caller.scopes, (std::vector<Scope>{Scope::read, Scope::jobs}));
  std::string unknown = key.shown;
  unknown[5] = '9';
  EXPECT_EQ(store().read([&](Connection& c) { return caller_of(c, unknown, 2); }).error().kind,
            ErrorKind::unauthenticated);
  ASSERT_TRUE(store().write([](Connection& c) { return revoke_key(c, "k1", 3); }).ok());
  EXPECT_EQ(store().read([&](Connection& c) { return caller_of(c, key.shown, 4); }).error().kind,
            ErrorKind::unauthenticated);
  EXPECT_EQ(store().write([](Connection& c) { return revoke_key(c, "k2", 3); }).error().kind, ErrorKind::not_found);
}

TEST_P(Stored, ARequestOfTheSameKeyGetsTheSameAnswer) {
  add_organisation_and_money(1);
  ASSERT_TRUE(store().write([](Connection& c) { return keep_answer(c, "org", "key", "hash", "answer", 1); }).ok());
  EXPECT_EQ(**store().read([](Connection& c) { return answered(c, "org", "key", "hash"); }), "answer");
  EXPECT_FALSE((*store().read([](Connection& c) { return answered(c, "org", "other", "hash"); })).has_value());
  EXPECT_FALSE((*store().read([](Connection& c) { return answered(c, "org2", "key", "hash"); })).has_value());
  EXPECT_EQ(store().read([](Connection& c) { return answered(c, "org", "key", "hash2"); }).error().kind,
            ErrorKind::conflict);
}

TEST_P(Stored, PricesAreOnlyAppended) {
  NodeType type;
  type.id = "cpu.1";
  type.prices = {{1, 100, {}, {"", false, true, ""}}};
  ASSERT_TRUE(store().write([&](Connection& c) { return keep_prices(c, type); }).ok());
  type.prices.push_back({2, 200, 5, {"https://example.org", true, false, "n"}});
  ASSERT_TRUE(store().write([&](Connection& c) { return keep_prices(c, type); }).ok());
  ASSERT_TRUE(store().write([&](Connection& c) { return keep_prices(c, type); }).ok());
  type.prices[0].hour = 99;
  EXPECT_EQ(store().write([&](Connection& c) { return keep_prices(c, type); }).error().kind, ErrorKind::conflict);
}

TEST_P(Stored, AuditIsKeptInOrder) {
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(
        store()
            .write([&](Connection& c) { return add_audit(c, {0, i, "root", "org", "top-up", std::to_string(i)}); })
            .ok());
  const auto rows = store().read([](Connection& c) { return audit_of(c, "org", 1, 10); }).take();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].number, 2);
  EXPECT_EQ(rows[1].detail, "2");
}

TEST_P(Stored, TheCheckOfTheLedgerFindsWhatIsWrong) {
  add_organisation_and_money(100);
  add_plain_job("j");
  EXPECT_TRUE(faults().empty());
  ASSERT_TRUE(
      store()
          .write([](Connection& c) { return c.run("UPDATE balance SET amount = 99 WHERE account = 'lot/paid'"); })
          .ok());
  EXPECT_EQ(faults(),
            std::vector<std::string>{"the balance of lot/paid is 0.000099, and its entries add up to 0.0001"});
  EXPECT_EQ(store()
                .read([](Connection& c) { return verify_accounts(c, std::vector<std::string>{"lot/paid", "outside"}); })
                ->size(),
            1u);
  ASSERT_TRUE(
      store()
          .write([](Connection& c) { return c.run("UPDATE balance SET amount = 100 WHERE account = 'lot/paid'"); })
          .ok());
  ASSERT_TRUE(store()
                  .write([](Connection& c) {
                    return c.run("INSERT INTO entry (posted, position, account, amount) VALUES (1, 9, 'lot/paid', 5)");
                  })
                  .ok());
  EXPECT_EQ(faults().front(), "transaction 1 adds up to 0.000005, not to zero");
}

TEST_P(Stored, ABackupIsTheSameOnBothAndIsWhole) {
  add_organisation_and_money(100);
  add_plain_job("j");
  ASSERT_TRUE(store().write([](Connection& c) { return add_event(c, "j", 1, "line\nwith \"quotes\" and 名"); }).ok());
  const auto file = folder_.path() / "backup.jsonl";
  const int64_t rows = store().read([&](Connection& c) { return backup(c, file); }).take();
  // Into the other kind of database, and from there the same file.
  const std::string other_address =
      GetParam() == Dialect::sqlite ? server().make_database().take() : (folder_.path() / "other.db").string();
  const auto other = Store::open(other_address, {false, true, 50}).take();
  const auto restored = other->write([&](Connection& c) { return restore(c, file); });
  ASSERT_TRUE(restored.ok()) << restored.error().message();
  EXPECT_EQ(*restored, rows);
  EXPECT_TRUE(other->read([](Connection& c) { return verify_ledger(c); })->faults.empty());
  EXPECT_EQ(*other->read([](Connection& c) { return balance_of(c, "lot/paid"); }), 100);
  const auto second = folder_.path() / "second.jsonl";
  ASSERT_TRUE(other->read([&](Connection& c) { return backup(c, second); }).ok());
  EXPECT_EQ(read_file(file).take(), read_file(second).take());

  EXPECT_EQ(store().write([&](Connection& c) { return restore(c, file); }).error().kind, ErrorKind::conflict);
  const std::string whole = read_file(file).take();
  const auto third = Store::open(new_address(), {false, true, 50}).take();
  const auto refusal = [&](const std::string& text) {
    std::ofstream(second, std::ios::trunc) << text;
    const auto result = third->write([&](Connection& c) { return restore(c, second); });
    return result ? "accepted" : result.error().what;
  };
  EXPECT_EQ(refusal(whole.substr(0, whole.rfind("{\"rows\""))), "the end is missing: the file was cut off");
  EXPECT_EQ(refusal("{}\n"), "no backup of this form");
  EXPECT_EQ(refusal("{\"torquetum_backup\":1,\"schema\":99}\n"), "a backup of another version of the schema");
  EXPECT_EQ(refusal("{\"torquetum_backup\":1,\"schema\":1}\n{\"t\":\"job; DROP\",\"r\":[]}\n"), "no row of a table");
  EXPECT_EQ(refusal("{\"torquetum_backup\":1,\"schema\":1}\n{\"rows\":3}\n"),
            "another number of rows than the end says");
  EXPECT_EQ(third->read([](Connection& c) { return c.run("SELECT COUNT(*) FROM organisation"); })->front().number(0),
            0);
  EXPECT_EQ(refusal(whole), "accepted");
}

TEST_P(Stored, RefusesANewerSchema) {
  ASSERT_TRUE(store().write([](Connection& c) { return c.run("UPDATE schema_version SET version = 99"); }).ok());
  store_.reset();
  EXPECT_EQ(Store::open(address_).error().kind, ErrorKind::unsupported);
}

TEST(Store, SaysWhereThereIsNoDatabase) {
  EXPECT_EQ(Store::open("/nonexistent/folder/x.db").error().kind, ErrorKind::environment);
  EXPECT_EQ(Store::open("host=/nonexistent dbname=x").error().kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace tqm::fleet
