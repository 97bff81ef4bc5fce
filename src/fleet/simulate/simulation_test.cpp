#include "fleet/simulate/simulation.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/process.hpp"
#include "fleet/store/postgresql_for_tests.hpp"

namespace tqm::fleet {
namespace {

SimulationResult run(uint64_t seed, int steps = 200, const Decide& decide = {}) {
  SimulationOptions options;
  options.seed = seed;
  options.steps = steps;
  options.decide = decide;
  return simulate(options).take();
}

TEST(Simulation, NoSeedFindsAFault) {
  SimulationResult all;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const SimulationResult one = run(seed);
    ASSERT_EQ(one.fault, "") << "replay with: build/bin/simulate_fleet --seed " << seed;
    all.jobs += one.jobs, all.attempts += one.attempts, all.lost_attempts += one.lost_attempts;
    all.restarts += one.restarts, all.seconds += one.seconds, all.accounts += one.accounts,
        all.transactions += one.transactions;
  }
  // It is no test if nothing happens.
  EXPECT_GT(all.jobs, 4000);
  EXPECT_GT(all.attempts, 2000);
  EXPECT_GT(all.lost_attempts, 300);
  EXPECT_GT(all.restarts, 1000);
  EXPECT_GT(all.seconds, 20'000);
  EXPECT_GT(all.transactions, 20'000);
}

TEST(Simulation, ASeedReplays) {
  const SimulationResult one = run(7, 120), two = run(7, 120);
  EXPECT_EQ(one.transactions, two.transactions);
  EXPECT_EQ(one.seconds, two.seconds);
  EXPECT_EQ(one.attempts, two.attempts);
}

TEST(Simulation, TheSameHappensOnPostgresql) {
  auto server = PostgresqlForTests::start().take();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SimulationOptions options;
    options.seed = seed;
    options.steps = 60;
    options.address = server->make_database().take();
    const SimulationResult there = simulate(options).take();
    ASSERT_EQ(there.fault, "") << seed;
    const SimulationResult here = run(seed, 60);
    EXPECT_EQ(there.transactions, here.transactions);
    EXPECT_EQ(there.seconds, here.seconds);
  }
}

// A decision that is wrong in one way, put in the place of the real one.
struct Bug {
  const char* name;
  void (*plant)(Decide&);
};

const Bug kBugs[] = {
    {"NextAttemptWithoutTheFence",
     [](Decide& d) {
       d.grant_next = [](const Lease& lease, const Moment& now) -> Result<Lease> {
         Lease free = lease;
         free.state = LeaseState::ended;
         return grant_next(free, now);
       };
       d.reconcile = [](std::span<const DesiredJob> desired, std::span<const EngineTask> actual,
                        std::map<std::string, int64_t> free, const Moment& now) {
         std::vector<Action> actions = reconcile(desired, actual, free, now);
         for (const DesiredJob& job : desired)
           if (job.lease.state == LeaseState::claimed && now.ms - alive_ms(job.lease.renewed, now) > 1500)
             actions.push_back({ActionKind::start, job.id, job.lease.attempt + 1, {}, {}});
         return actions;
       };
     }},
    {"EveryShimMayClaim",
     [](Decide& d) {
       d.claim = [](const Lease& lease, int64_t attempt, const std::string& holder,
                    const Moment& now) -> Result<Lease> {
         Lease free = lease;
         if (lease.attempt == attempt && lease.state == LeaseState::claimed) free.state = LeaseState::granted;
         return claim(free, attempt, holder, now);
       };
     }},
    {"LateResultsAreTaken",
     [](Decide& d) {
       d.check_write = [](const Lease&, int64_t, const std::string&) -> Status { return {}; };
       d.end_lease = [](const Lease& lease, int64_t, const std::string&) -> Result<Lease> {
         Lease ended = lease;
         ended.state = LeaseState::ended;
         return ended;
       };
     }},
    {"AReportSentTwiceCountsTwice",
     [](Decide& d) {
       d.count = [](const Meter& meter, const UseReport& use) -> Result<Counted> {
         UseReport again = use;
         again.to = meter.counted + (use.to - use.from);
         again.from = meter.counted;
         again.checkpoint = std::min(use.checkpoint, again.to);
         return count(meter, again);
       };
     }},
    {"ChargesRoundUpEachTime",
     [](Decide& d) {
       d.count = [](const Meter& meter, const UseReport& use) -> Result<Counted> {
         Result<Counted> counted = count(meter, use);
         if (counted.ok() && counted->charge.gross > 0) counted->charge.gross += 1;
         return counted;
       };
     }},
    {"PaysAheadWithoutMoney",
     [](Decide& d) {
       d.extend = [](const Meter& meter, int64_t ahead, int64_t limit, Micro money) -> Result<Extension> {
         Result<Extension> extension = extend(meter, ahead, limit, money);
         if (extension.ok() && extension->short_of > 0) extension->after.paid_to += extension->short_of;
         return extension;
       };
     }},
    {"TheShimIsLetRunTooLong",
     [](Decide& d) { d.paid_until = [](const Meter& meter) { return paid_until(meter) + 15; }; }},
    {"TheTimeLimitIsForgotten",
     [](Decide& d) {
       d.extend = [](const Meter& meter, int64_t ahead, int64_t, Micro money) {
         return extend(meter, ahead, kMostSeconds, money);
       };
     }},
    {"AHoldIsNotGivenBack",
     [](Decide& d) {
       d.release = [](const JobAccount&, std::span<const Lot>, std::string, int64_t) -> std::optional<Transaction> {
         return std::nullopt;
       };
     }},
    {"ExpiredVouchersComeBack",
     [](Decide& d) {
       d.release = [](const JobAccount& job, std::span<const Lot> held, std::string key, int64_t now) {
         std::optional<Transaction> back = release(job, held, std::move(key), 0);
         if (back) back->time_ms = now;
         return back;
       };
     }},
    {"VouchersExpireADayEarly",
     [](Decide& d) {
       d.expire = [](const Lot& lot, int64_t now) -> std::optional<Transaction> {
         std::optional<Transaction> gone = expire(lot, now + 1);
         Lot early = lot;
         early.expires_ms = now;
         if (!gone) gone = expire(early, now);
         if (gone) gone->time_ms = lot.expires_ms ? std::min(now, *lot.expires_ms - 1) : now;
         return gone;
       };
     }},
    {"ASecondTrial",
     [](Decide& d) {
       d.grant = [](const GrantRequest& request, const GrantsSoFar&, int64_t now) {
         return grant(request, {0, 0, true}, now);
       };
     }},
    {"QuotasAreForgotten",
     [](Decide& d) {
       d.check_limits = [](const Limits&, const Use&, const Use&, std::string_view) -> Status { return {}; };
     }},
    {"RetriesWithoutEnd",
     [](Decide& d) {
       d.after_end = [](EndReason reason, Want want, int64_t) {
         AfterEnd after = after_end(reason, want, 1);
         after.costs_a_retry = false;
         return after;
       };
     }},
    {"EverythingIsCreditedAfterALoss",
     [](Decide& d) {
       d.redone = [](const Meter& meter) -> Result<Redone> {
         Meter whole = meter;
         whole.checkpoint = 0;
         return redone(whole);
       };
     }},
    {"AJobThatIsDoneRunsAgain",
     [](Decide& d) {
       d.after_end = [](EndReason reason, Want want, int64_t retries) {
         return reason == EndReason::done ? AfterEnd{JobState::queued, false} : after_end(reason, want, retries);
       };
     }},
};

class Planted : public ::testing::TestWithParam<Bug> {};
INSTANTIATE_TEST_SUITE_P(Bug, Planted, ::testing::ValuesIn(kBugs),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(Planted, IsFound) {
  Decide decide;
  GetParam().plant(decide);
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const SimulationResult one = run(seed, 200, decide);
    if (one.fault.empty()) continue;
    std::printf("  seed %d: %s\n", static_cast<int>(seed), one.fault.c_str());
    return;
  }
  FAIL() << "40 seeds did not find it";
}

}  // namespace
}  // namespace tqm::fleet
