// What an organisation and its projects may use at most, and when somebody is told. Checked before a hold, in the same
// transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/ledger/money.hpp"

namespace tqm::fleet {

enum class OrganisationKind { company, university, state_owned, research };
std::string_view name(OrganisationKind kind);  // "state-owned"
Result<OrganisationKind> parse_organisation_kind(std::string_view word);
bool has_sector_subsidy(OrganisationKind kind);  // universities and state-owned firms
bool may_have_research_vouchers(OrganisationKind kind);

struct Limits {
  std::optional<int64_t> running_jobs;  // at the same time
  std::optional<int64_t> nodes;         // at the same time, over all running jobs
  std::optional<Micro> month;           // spent and held in a calendar month, UTC
};

struct Use {
  int64_t running_jobs = 0, nodes = 0;
  Micro month = 0;  // spent and held
};

// May this much more be begun? payment, with the limit and what is used of it.
Status check_limits(const Limits& limits, const Use& used, const Use& more, std::string_view whose);

// The most money that may still be held this month; INT64_MAX without a limit.
Micro left_of_month(const Limits& limits, const Use& used);

// The percents of a project's budget that spending has just reached, in rising order: those above before's share and
// not above after's. Each is told once, however often it is asked.
std::vector<int> alerts(Micro budget, std::span<const int> percents, Micro before, Micro after);

// The first moment of the month of a time, and of the next one; UTC.
int64_t month_begin_ms(int64_t time_ms);
int64_t next_month_begin_ms(int64_t time_ms);

}  // namespace tqm::fleet
