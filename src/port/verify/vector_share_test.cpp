#include "port/verify/vector_share.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace tqm::port {
namespace {

TEST(VectorShare, TheBytesOfAllCasesDecide) {
  CaseVerdict small, large, nothing;
  small.bang_counters = {{"vector_bytes", 10}, {"scalar_gdram_bytes", 30}};
  large.bang_counters = {{"vector_bytes", 500}, {"dma_bytes", 400}, {"matrix_bytes", 60}, {"scalar_nram_bytes", 0}};
  const VectorShare seen = vector_share(std::vector{small, large, nothing});
  EXPECT_DOUBLE_EQ(seen.share, 970.0 / 1000);
  EXPECT_EQ(confirmed_tier('A', seen), 'A');

  const VectorShare scalar = vector_share(std::vector{small});
  EXPECT_EQ(confirmed_tier('B', scalar), 'D');
  EXPECT_EQ(confirmed_tier('C', scalar), 'C');
  small.bang_counters = {{"vector_bytes", 90}, {"scalar_nram_bytes", 10}};
  EXPECT_EQ(confirmed_tier('B', vector_share(std::vector{small})), 'C');
}

TEST(VectorShare, WhereNothingRanTheTextStands) {
  EXPECT_EQ(confirmed_tier('B', vector_share({})), 'B');
}

}  // namespace
}  // namespace tqm::port
