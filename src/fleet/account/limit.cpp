#include "fleet/account/limit.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

namespace tqm::fleet {
namespace {

constexpr std::array<std::string_view, 4> kKinds = {"company", "university", "state-owned", "research"};

std::chrono::year_month month_of(int64_t time_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(time_ms)};
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  return day.year() / day.month();
}

int64_t begin_ms(std::chrono::year_month month) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::sys_days(month / 1).time_since_epoch())
      .count();
}

Error over(std::string what, std::string_view whose) {
  return Error{ErrorKind::payment, std::move(what), std::string(whose), "wait, or ask an admin for a higher limit"};
}

}  // namespace

std::string_view name(OrganisationKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

Result<OrganisationKind> parse_organisation_kind(std::string_view word) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), word);
  if (found != kKinds.end()) return static_cast<OrganisationKind>(found - kKinds.begin());
  return Error{ErrorKind::bad_input, "no such kind of organisation", std::string(word),
               "known are company, university, state-owned, research"};
}

bool has_sector_subsidy(OrganisationKind kind) {
  return kind == OrganisationKind::university || kind == OrganisationKind::state_owned;
}
bool may_have_research_vouchers(OrganisationKind kind) {
  return kind == OrganisationKind::university || kind == OrganisationKind::research;
}

Status check_limits(const Limits& limits, const Use& used, const Use& more, std::string_view whose) {
  if (limits.running_jobs && used.running_jobs + more.running_jobs > *limits.running_jobs)
    return over("at most " + std::to_string(*limits.running_jobs) + " jobs may run at once, and " +
                    std::to_string(used.running_jobs) + " do",
                whose);
  if (limits.nodes && used.nodes + more.nodes > *limits.nodes)
    return over("at most " + std::to_string(*limits.nodes) + " nodes may be used at once, " +
                    std::to_string(used.nodes) + " are, and " + std::to_string(more.nodes) + " more are asked for",
                whose);
  if (more.month > left_of_month(limits, used))
    return over("the spending limit of " + yuan_text(*limits.month) + " yuan a month is reached: " +
                    yuan_text(used.month) + " are spent or held, and " + yuan_text(more.month) + " more are asked for",
                whose);
  return {};
}

Micro left_of_month(const Limits& limits, const Use& used) {
  if (!limits.month) return std::numeric_limits<Micro>::max();
  return std::max<Micro>(0, *limits.month - used.month);
}

std::vector<int> alerts(Micro budget, std::span<const int> percents, Micro before, Micro after) {
  __extension__ using Wide = __int128;
  std::vector<int> reached;
  for (int percent : percents) {
    const Wide mark = static_cast<Wide>(budget) * percent;
    if (static_cast<Wide>(before) * 100 < mark && static_cast<Wide>(after) * 100 >= mark) reached.push_back(percent);
  }
  std::sort(reached.begin(), reached.end());
  return reached;
}

int64_t month_begin_ms(int64_t time_ms) {
  return begin_ms(month_of(time_ms));
}
int64_t next_month_begin_ms(int64_t time_ms) {
  return begin_ms(month_of(time_ms) + std::chrono::months(1));
}

}  // namespace tqm::fleet
