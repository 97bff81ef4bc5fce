#include "base/team.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace tqm {
namespace {

TEST(Team, EveryMemberRunsAndBarriersSeparatePhases) {
  for (const int threads : {1, 2, 5}) {
    Team team(threads);
    ASSERT_EQ(team.size(), threads);
    std::vector<int> values(static_cast<size_t>(threads), 0), sums(values);
    for (int round = 0; round < 200; ++round) {
      team.run([&](int member) {
        for (int phase = 0; phase < 5; ++phase) {
          values[static_cast<size_t>(member)] += member + phase;
          team.barrier();
          sums[static_cast<size_t>(member)] = std::accumulate(values.begin(), values.end(), 0);
          team.barrier();
        }
      });
      for (const int sum : sums) ASSERT_EQ(sum, (round + 1) * (5 * threads * (threads - 1) / 2 + threads * 10));
    }
  }
}

TEST(Team, SharesCoverEverythingOnce) {
  Team team(3);
  for (const int64_t count : {0, 1, 2, 3, 10, 64}) {
    for (const int64_t grain : {1, 2}) {
      int64_t next = 0;
      for (int member = 0; member < 3; ++member) {
        const auto [first, last] = team.share(member, count, grain);
        EXPECT_EQ(first, next);
        EXPECT_TRUE(first % grain == 0 || first == count);
        next = last;
      }
      EXPECT_EQ(next, count);
    }
  }
}

}  // namespace
}  // namespace tqm
