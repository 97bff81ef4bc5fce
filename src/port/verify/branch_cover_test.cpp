#include "port/verify/branch_cover.hpp"

#include <gtest/gtest.h>

namespace tqm::port {
namespace {

Branch met(std::size_t id, bool seen_false, bool seen_true, Outcome if_false = Outcome::empty,
           Outcome if_true = Outcome::code) {
  Branch branch;
  branch.id = id;
  branch.file = "/there/sums.cu";
  branch.line = static_cast<int>(10 + id);
  branch.column = 7;
  branch.leads = {if_false, if_true};
  branch.seen = {seen_false, seen_true};
  return branch;
}

TEST(BranchCover, OutcomesOfSeveralCasesComeTogether) {
  BranchCover cover;
  cover.add({met(0, true, false), met(1, true, true)});
  EXPECT_FALSE(cover.complete());
  EXPECT_EQ(cover.shown(), 3U);
  EXPECT_EQ(cover.missing(Outcome::code), std::vector<std::string>{"sums.cu:10:7: the condition was never true"});
  EXPECT_TRUE(cover.missing(Outcome::empty).empty());
  EXPECT_TRUE(cover.would_gain({met(0, false, true)}));
  EXPECT_FALSE(cover.would_gain({met(0, true, false)}));
  EXPECT_TRUE(cover.would_gain({met(2, true, false)}));
  cover.add({met(0, false, true)});
  EXPECT_TRUE(cover.complete());
  EXPECT_EQ(cover.outcomes(), 4U);
}

TEST(BranchCover, WhereAnOutcomeLeadsIsToldApart) {
  BranchCover cover;
  cover.add({met(0, false, true), met(1, false, true, Outcome::never)});
  EXPECT_EQ(cover.missing(Outcome::empty), std::vector<std::string>{"sums.cu:10:7: the condition was never false"});
  EXPECT_TRUE(cover.missing(Outcome::code).empty());
  EXPECT_EQ(cover.outcomes(), 3U);
}

TEST(BranchCover, ALabelOfASwitchIsNamedAsSuch) {
  BranchCover cover;
  Branch label = met(3, true, false, Outcome::never);
  label.label = true;
  cover.add({label});
  EXPECT_EQ(cover.missing(Outcome::code),
            std::vector<std::string>{"sums.cu:13:7: a label of the switch was never gone to"});
}

}  // namespace
}  // namespace tqm::port
