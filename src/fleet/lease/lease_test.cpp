#include "fleet/lease/lease.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

namespace tqm::fleet {
namespace {

Lease granted(int64_t ms) {
  return grant_next({}, {1, ms}).take();
}
Lease claimed(int64_t ms) {
  return claim(granted(ms), 1, "a", {1, ms}).take();
}

TEST(Lease, OneShimGetsTheAttempt) {
  const Lease lease = claimed(0);
  EXPECT_TRUE(claim(lease, 1, "a", {1, 10}).ok());
  EXPECT_EQ(claim(lease, 1, "b", {1, 10}).error().message(),
            "attempt 1 is not held by this shim (the lease is at attempt 1): do not start the process");
  EXPECT_FALSE(claim(granted(0), 2, "a", {1, 0}).ok());
  EXPECT_FALSE(claim(granted(0), 1, "", {1, 0}).ok());
}

TEST(Lease, TheNextWaitsForTheFence) {
  const Lease lease = claimed(1000);
  EXPECT_EQ(grant_next(lease, {1, 1000 + kFenceMs}).error().next, "ask again in 1 ms");
  EXPECT_EQ(grant_next(lease, {1, 1000 + kFenceMs + 1})->attempt, 2);
}

TEST(Lease, TheEnginesWordCountsFromWhenItCame) {
  const Lease lease = node_down(node_down(claimed(0), {1, 4000}), {1, 8000});
  EXPECT_FALSE(grant_next(lease, {1, 4000 + kFenceMs}).ok());
  EXPECT_TRUE(grant_next(lease, {1, 4001 + kFenceMs}).ok());
}

TEST(Lease, AShimThatWasSilentIsLost) {
  EXPECT_TRUE(renew(claimed(0), 1, "a", {1, kFenceMs}).ok());
  EXPECT_FALSE(renew(claimed(0), 1, "a", {1, kFenceMs + 1}).ok());
  EXPECT_FALSE(renew(claimed(0), 1, "b", {1, 1}).ok());
  EXPECT_FALSE(renew(granted(0), 1, "a", {1, 1}).ok());
}

TEST(Lease, ARestartOfTheServiceGivesTheWholeTimeAgain) {
  const Lease lease = claimed(900'000);
  EXPECT_TRUE(renew(lease, 1, "a", {2, kFenceMs}).ok());
  EXPECT_FALSE(grant_next(lease, {2, kFenceMs}).ok());
  EXPECT_TRUE(grant_next(lease, {2, kFenceMs + 1}).ok());
}

TEST(Lease, OnlyTheHolderOfTheLastAttemptWrites) {
  Lease lease = claimed(0);
  EXPECT_TRUE(check_write(lease, 1, "a").ok());
  EXPECT_FALSE(check_write(lease, 1, "b").ok());
  lease = grant_next(lease, {1, kFenceMs + 1}).take();
  EXPECT_FALSE(check_write(lease, 1, "a").ok());
  EXPECT_FALSE(check_write(lease, 2, "a").ok());
  EXPECT_FALSE(end(lease, 1, "a").ok());
  const Lease ended = end(claimed(0), 1, "a").take();
  EXPECT_TRUE(grant_next(ended, {1, 0}).ok());
  EXPECT_FALSE(check_write(ended, 1, "a").ok());
  EXPECT_FALSE(claim(ended, 1, "b", {1, 0}).ok());
}

// A shim lives from its claim, for kFenceMs after the *sending* of its last answered request, by its own clock.
// Whatever the order of claims, renewals, losses, words of the engine and restarts: never two shims alive.
RC_GTEST_PROP(Lease, NeverTwoAlive, ()) {
  Lease lease;
  std::map<std::string, int64_t> until;  // by holder, in true time
  int64_t truth = 0, epoch = 1, began = 0, holders = 0;
  const int steps = *rc::gen::inRange(1, 80);
  for (int step = 0; step < steps; ++step) {
    truth += *rc::gen::inRange(0, 4000);
    const Moment now{epoch, truth - began};
    const int64_t sent = truth - *rc::gen::inRange(0, 1000);
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        if (auto next = grant_next(lease, now)) lease = std::move(next).take();
        break;
      case 1: {
        const std::string holder = "h" + std::to_string(++holders);
        if (auto mine = claim(lease, lease.attempt, holder, now)) {
          lease = std::move(mine).take();
          if (*rc::gen::inRange(0, 4) > 0) until[holder] = sent + kFenceMs;  // else the answer was lost
        }
        break;
      }
      case 2:
      case 3: {
        const std::string holder = lease.holder;
        if (!until.contains(holder) || until[holder] < sent) break;
        if (auto renewed = renew(lease, lease.attempt, holder, now)) {
          lease = std::move(renewed).take();
          if (*rc::gen::inRange(0, 4) > 0) until[holder] = std::max(until[holder], sent + kFenceMs);
        }
        break;
      }
      case 4:
        lease = node_down(lease, now);
        break;
      case 5:
        ++epoch, began = truth;
        break;
      default:
        break;
    }
    const auto alive = std::count_if(until.begin(), until.end(), [&](const auto& one) { return one.second >= truth; });
    RC_ASSERT(alive <= 1);
  }
}

}  // namespace
}  // namespace tqm::fleet
