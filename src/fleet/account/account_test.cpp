#include <gtest/gtest.h>
#include <set>

#include "fleet/account/key.hpp"
#include "fleet/account/limit.hpp"
#include "fleet/account/permission.hpp"

namespace tqm::fleet {
namespace {

const std::vector<Scope> kEvery = {Scope::read, Scope::jobs, Scope::money, Scope::admin};

std::string allowed(Role role, std::vector<Scope> scopes) {
  std::string text;
  for (Operation operation : operations())
    if (permit({"u", "org", role, scopes}, operation, "org").ok()) text += std::string(name(operation)) + " ";
  return text;
}

TEST(Permission, EveryOperationHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (Operation operation : operations()) names.insert(name(operation));
  EXPECT_EQ(names.size(), operations().size());
  EXPECT_EQ(operations().back(), Operation::verify_ledger);
  EXPECT_EQ(operations().size(), static_cast<size_t>(Operation::verify_ledger) + 1);
}

TEST(Permission, RolesMayWhatTheTableSays) {
  EXPECT_EQ(allowed(Role::viewer, kEvery),
            "list-node-types compare-prices show-organisation list-jobs show-job watch-job read-logs fetch-artifact "
            "quote-job "
            "show-balance ");
  EXPECT_EQ(
      allowed(Role::billing, kEvery),
      "list-node-types compare-prices show-organisation list-jobs show-job watch-job quote-job show-balance list-bills "
      "show-bill list-transactions set-budget ");
  EXPECT_EQ(allowed(Role::member, {Scope::jobs}), "submit-job cancel-job pause-job resume-job open-shell ");
  EXPECT_EQ(allowed(Role::admin, {Scope::admin}),
            "create-project set-limits create-user set-role create-key revoke-key list-keys read-audit ");
  EXPECT_EQ(allowed(Role::viewer, {}), "");
}

TEST(Permission, NobodyButTheOperatorMakesMoney) {
  for (Operation operation : {Operation::top_up, Operation::refund, Operation::grant_voucher, Operation::grant_credit,
                              Operation::set_price, Operation::create_organisation}) {
    for (Role role : {Role::viewer, Role::member, Role::billing, Role::admin})
      EXPECT_EQ(permit({"u", "org", role, kEvery}, operation, "org").error().kind, ErrorKind::permission)
          << name(operation);
    EXPECT_TRUE(permit({"u", "", Role::operator_, kEvery}, operation, "org").ok());
    EXPECT_FALSE(permit({"u", "", Role::operator_, {Scope::read}}, operation, "org").ok());
  }
}

TEST(Permission, WhatIsAnotherOrganisationsIsNotThere) {
  for (Operation operation : operations())
    for (Role role : {Role::viewer, Role::member, Role::billing, Role::admin})
      EXPECT_EQ(permit({"u", "org", role, kEvery}, operation, "other").error().kind, ErrorKind::not_found);
}

TEST(Permission, SaysWhatIsMissing) {
  EXPECT_EQ(permit({"li", "org", Role::viewer, kEvery}, Operation::submit_job, "org").error().message(),
            "the role viewer may not submit-job (li): ask an admin of your organisation, or the operator");
  EXPECT_EQ(permit({"li", "org", Role::member, {Scope::read}}, Operation::submit_job, "org").error().message(),
            "the key lacks the scope jobs (submit-job): use a key that has it");
  EXPECT_EQ(parse_role("king").error().kind, ErrorKind::bad_input);
  EXPECT_EQ(parse_scope("all").error().kind, ErrorKind::bad_input);
  EXPECT_EQ(*parse_role("operator"), Role::operator_);
}

std::array<std::byte, 32> bytes(unsigned seed) {
  std::array<std::byte, 32> random;
  for (size_t i = 0; i < random.size(); ++i) random[i] = static_cast<std::byte>(seed * 31 + i * 7);
  return random;
}

TEST(Key, OpensWithItsSecretAlone) {
  const NewKey key = make_key("k1", "li", {Scope::read}, 1000, bytes(1), 1).take();
  EXPECT_EQ(key.shown.find(key.kept.hash), std::string::npos);
  EXPECT_EQ(*key_id(key.shown), "k1");
  EXPECT_TRUE(check_key(key.kept, key.shown, 999).ok());
  EXPECT_FALSE(check_key(key.kept, key.shown, 1000).ok());
  const NewKey other = make_key("k1", "li", {Scope::read}, {}, bytes(2), 1).take();
  EXPECT_FALSE(check_key(key.kept, other.shown, 1).ok());
  ApiKey revoked = key.kept;
  revoked.revoked_ms = 5;
  EXPECT_EQ(check_key(revoked, key.shown, 6).error().message(), check_key(key.kept, other.shown, 1).error().message());
}

TEST(Key, RefusesWhatHasNotTheFormOfOne) {
  for (const std::string& text :
       std::vector<std::string>{"", "tqm_", "tqm_k1_", "tqm__" + std::string(64, 'a'), "abc_k1_" + std::string(64, 'a'),
                                "tqm_k1x" + std::string(64, 'a'), "tqm_k/1_" + std::string(64, 'a')})
    EXPECT_EQ(key_id(text).error().kind, ErrorKind::unauthenticated) << text;
  EXPECT_FALSE(make_key("k1", "li", {}, {}, bytes(1), 1).ok());
  EXPECT_FALSE(make_key("k1", "li", {Scope::read}, 1, bytes(1), 1).ok());
  EXPECT_FALSE(make_key("k_1", "li", {Scope::read}, {}, bytes(1), 1).ok());
}

TEST(Limit, RefusesWithWhatIsUsed) {
  const Limits limits{2, 10, 100 * kYuan};
  EXPECT_TRUE(check_limits(limits, {1, 4, 60 * kYuan}, {1, 6, 40 * kYuan}, "org").ok());
  EXPECT_EQ(check_limits(limits, {2, 0, 0}, {1, 1, 1}, "org").error().what, "at most 2 jobs may run at once, and 2 do");
  EXPECT_EQ(check_limits(limits, {1, 4, 0}, {1, 7, 1}, "org").error().what,
            "at most 10 nodes may be used at once, 4 are, and 7 more are asked for");
  EXPECT_EQ(check_limits(limits, {0, 0, 60 * kYuan}, {1, 1, 40 * kYuan + 1}, "org").error().kind, ErrorKind::payment);
  EXPECT_TRUE(check_limits({}, {1000, 1000, kMostMoney}, {1, 1, kMostMoney}, "org").ok());
  EXPECT_EQ(left_of_month(limits, {0, 0, 120 * kYuan}), 0);
}

TEST(Limit, EachAlertIsToldOnce) {
  const std::vector<int> percents = {100, 50, 80};
  EXPECT_EQ(alerts(200, percents, 0, 99), std::vector<int>{});
  EXPECT_EQ(alerts(200, percents, 99, 160), (std::vector<int>{50, 80}));
  EXPECT_EQ(alerts(200, percents, 160, 199), std::vector<int>{});
  EXPECT_EQ(alerts(200, percents, 199, 500), std::vector<int>{100});
}

TEST(Limit, MonthsBeginInUtc) {
  constexpr int64_t kDay = 86'400'000;
  EXPECT_EQ(month_begin_ms(0), 0);
  EXPECT_EQ(month_begin_ms(31 * kDay - 1), 0);
  EXPECT_EQ(month_begin_ms(31 * kDay), 31 * kDay);
  EXPECT_EQ(next_month_begin_ms(40 * kDay), 59 * kDay);
  EXPECT_EQ(month_begin_ms(-1), -31 * kDay);
}

TEST(Organisation, KindsDecideOnSubsidies) {
  EXPECT_TRUE(has_sector_subsidy(*parse_organisation_kind("state-owned")));
  EXPECT_TRUE(has_sector_subsidy(OrganisationKind::university));
  EXPECT_FALSE(has_sector_subsidy(OrganisationKind::research));
  EXPECT_TRUE(may_have_research_vouchers(OrganisationKind::research));
  EXPECT_FALSE(may_have_research_vouchers(OrganisationKind::company));
  EXPECT_FALSE(parse_organisation_kind("ngo").ok());
}

}  // namespace
}  // namespace tqm::fleet
