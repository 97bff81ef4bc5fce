#include "fleet/job/reconcile.hpp"

#include <gtest/gtest.h>

namespace tqm::fleet {
namespace {

DesiredJob job(std::string id, JobState state, Lease lease = {}) {
  DesiredJob one;
  one.id = std::move(id);
  one.node_type = "cpu.1";
  one.state = state;
  one.lease = std::move(lease);
  return one;
}
Lease granted() {
  return grant_next({}, {1, 0}).take();
}
Lease claimed() {
  return claim(granted(), 1, "shim", {1, 0}).take();
}

std::string plan(const std::vector<DesiredJob>& jobs, const std::vector<EngineTask>& tasks, int64_t now_ms,
                 int64_t free = 10) {
  std::string text;
  for (const Action& action : reconcile(jobs, tasks, {{"cpu.1", free}}, {1, now_ms})) {
    text += std::string(name(action.kind)) + " " + action.job + "/" + std::to_string(action.attempt);
    if (action.kind == ActionKind::finish) text += " " + std::string(name(action.state));
    if (action.kind == ActionKind::stop || action.kind == ActionKind::lose)
      text += " " + std::string(name(action.reason));
    text += "; ";
  }
  return text;
}

TEST(Reconcile, StartsInOrderWhatFits) {
  std::vector<DesiredJob> jobs = {job("c", JobState::queued), job("b", JobState::queued), job("a", JobState::queued)};
  jobs[0].submitted_ms = 1, jobs[1].submitted_ms = 2, jobs[2].submitted_ms = 2;
  jobs[0].nodes = 3;
  EXPECT_EQ(plan(jobs, {}, 0, 2), "start a/1; start b/1; ");
  EXPECT_EQ(plan(jobs, {}, 0, 3), "start c/1; ");
  EXPECT_EQ(plan(jobs, {}, 0, 0), "");
  jobs[0].node_type = "none";
  EXPECT_EQ(plan(jobs, {}, 0, 1), "start a/1; ");
}

TEST(Reconcile, WhatNobodyClaimsHasNotStarted) {
  const std::vector<DesiredJob> jobs = {job("a", JobState::active, granted())};
  EXPECT_EQ(plan(jobs, {}, 0), "submit a/1; ");
  EXPECT_EQ(plan(jobs, {{"a", 1, false, false}}, kStartMs), "");
  EXPECT_EQ(plan(jobs, {{"a", 1, false, false}}, kStartMs + 1), "lose a/1 never-started; ");
  EXPECT_EQ(plan(jobs, {{"a", 1, true, false}}, 1), "lose a/1 never-started; ");
}

TEST(Reconcile, ASilentAttemptIsLostAfterTheFence) {
  const std::vector<DesiredJob> jobs = {job("a", JobState::active, claimed())};
  EXPECT_EQ(plan(jobs, {{"a", 1, false, false}}, kFenceMs), "");
  EXPECT_EQ(plan(jobs, {{"a", 1, false, false}}, kFenceMs + 1), "lose a/1 silent; ");
  EXPECT_EQ(plan(jobs, {{"a", 1, false, true}}, 1000), "node-down a/1; ");
}

TEST(Reconcile, ATaskThatBelongsToNoLiveAttemptIsKilled) {
  EXPECT_EQ(plan({}, {{"x", 3, false, false}, {"y", 1, true, false}}, 0), "kill x/3; ");
  EXPECT_EQ(plan({job("a", JobState::active, claimed())}, {{"a", 0, false, false}, {"a", 1, false, false}}, 1),
            "kill a/0; ");
  Lease ended = end(claimed(), 1, "shim").take();
  EXPECT_EQ(plan({job("a", JobState::paused, ended)}, {{"a", 1, false, false}}, 1, 0), "kill a/1; finish a/1 queued; ");
}

TEST(Reconcile, WishesAreCarriedOut) {
  DesiredJob one = job("a", JobState::active, claimed());
  one.want = Want::cancel;
  EXPECT_EQ(plan({one}, {{"a", 1, false, false}}, 1), "stop a/1 cancelled; ");
  one.lease = granted();
  EXPECT_EQ(plan({one}, {}, 1), "lose a/1 cancelled; ");
  DesiredJob waiting = job("b", JobState::queued);
  waiting.want = Want::pause;
  EXPECT_EQ(plan({waiting}, {}, 1), "finish b/0 paused; ");
  waiting.want = Want::run, waiting.affordable = false;
  EXPECT_EQ(plan({waiting}, {}, 1), "finish b/0 unpaid; ");
  waiting.state = JobState::unpaid, waiting.affordable = true;
  EXPECT_EQ(plan({waiting}, {}, 1), "finish b/0 queued; start b/1; ");
}

TEST(Reconcile, EndsCostARetryOnlyWhereTheyAreNobodysWish) {
  EXPECT_EQ(after_end(EndReason::node_lost, Want::run, 1).state, JobState::queued);
  EXPECT_TRUE(after_end(EndReason::node_lost, Want::run, 1).costs_a_retry);
  EXPECT_EQ(after_end(EndReason::node_lost, Want::run, 0).state, JobState::failed);
  EXPECT_EQ(after_end(EndReason::silent, Want::cancel, 5).state, JobState::cancelled);
  EXPECT_EQ(after_end(EndReason::unpaid, Want::run, 0).state, JobState::unpaid);
  EXPECT_EQ(after_end(EndReason::paused, Want::run, 0).state, JobState::queued);
  EXPECT_EQ(after_end(EndReason::failed, Want::run, 9).state, JobState::failed);
  EXPECT_EQ(after_end(EndReason::done, Want::cancel, 9).state, JobState::done);
}

TEST(Reconcile, EveryWordReadsBack) {
  for (int i = 0; i < 8; ++i) EXPECT_EQ(static_cast<int>(*parse_job_state(name(static_cast<JobState>(i)))), i);
  for (int i = 0; i < 11; ++i) EXPECT_EQ(static_cast<int>(*parse_end_reason(name(static_cast<EndReason>(i)))), i);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(static_cast<int>(*parse_want(name(static_cast<Want>(i)))), i);
  EXPECT_FALSE(parse_job_state("x").ok());
}

}  // namespace
}  // namespace tqm::fleet
