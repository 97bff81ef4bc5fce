#include "fleet/account/permission.hpp"

#include <algorithm>
#include <array>

namespace tqm::fleet {
namespace {

constexpr std::array<std::string_view, 5> kRoles = {"viewer", "member", "billing", "admin", "operator"};
constexpr std::array<std::string_view, 4> kScopes = {"read", "jobs", "money", "admin"};

// The roles that may, as a set of bits; an operator may everything.
constexpr unsigned kViewer = 1, kMember = 2, kBilling = 4, kAdmin = 8;
constexpr unsigned kAll = kViewer | kMember | kBilling | kAdmin;
constexpr unsigned kNobody = 0;

struct Row {
  Operation operation;
  std::string_view name;
  Scope scope;
  unsigned roles;
};

using enum Operation;
constexpr Row kRows[] = {
    {list_node_types, "list-node-types", Scope::read, kAll},
    {compare_prices, "compare-prices", Scope::read, kAll},
    {show_organisation, "show-organisation", Scope::read, kAll},
    {list_jobs, "list-jobs", Scope::read, kAll},
    {show_job, "show-job", Scope::read, kAll},
    {watch_job, "watch-job", Scope::read, kAll},
    {read_logs, "read-logs", Scope::read, kViewer | kMember | kAdmin},
    {fetch_artifact, "fetch-artifact", Scope::read, kViewer | kMember | kAdmin},
    {quote_job, "quote-job", Scope::read, kAll},
    {submit_job, "submit-job", Scope::jobs, kMember | kAdmin},
    {cancel_job, "cancel-job", Scope::jobs, kMember | kAdmin},
    {pause_job, "pause-job", Scope::jobs, kMember | kAdmin},
    {resume_job, "resume-job", Scope::jobs, kMember | kAdmin},
    {open_shell, "open-shell", Scope::jobs, kMember | kAdmin},
    {show_balance, "show-balance", Scope::read, kAll},
    {list_bills, "list-bills", Scope::read, kBilling | kAdmin},
    {show_bill, "show-bill", Scope::read, kBilling | kAdmin},
    {list_transactions, "list-transactions", Scope::read, kBilling | kAdmin},
    {top_up, "top-up", Scope::money, kNobody},  // once the money has arrived: the operator's word
    {refund, "refund", Scope::money, kNobody},
    {grant_voucher, "grant-voucher", Scope::money, kNobody},
    {grant_credit, "grant-credit", Scope::money, kNobody},
    {create_project, "create-project", Scope::admin, kAdmin},
    {set_budget, "set-budget", Scope::money, kBilling | kAdmin},
    {set_limits, "set-limits", Scope::admin, kAdmin},
    {create_user, "create-user", Scope::admin, kAdmin},
    {set_role, "set-role", Scope::admin, kAdmin},
    {create_key, "create-key", Scope::admin, kAdmin},
    {revoke_key, "revoke-key", Scope::admin, kAdmin},
    {list_keys, "list-keys", Scope::admin, kAdmin},
    {read_audit, "read-audit", Scope::admin, kAdmin},
    {create_organisation, "create-organisation", Scope::admin, kNobody},
    {list_organisations, "list-organisations", Scope::admin, kNobody},
    {set_price, "set-price", Scope::admin, kNobody},
    {register_node, "register-node", Scope::admin, kNobody},
    {drain_node, "drain-node", Scope::admin, kNobody},
    {backup, "backup", Scope::admin, kNobody},
    {verify_ledger, "verify-ledger", Scope::admin, kNobody},
};

const Row& row_of(Operation operation) {
  for (const Row& row : kRows)
    if (row.operation == operation) return row;
  ASSERT(false);
}

}  // namespace

std::string_view name(Role role) {
  return kRoles[static_cast<size_t>(role)];
}
std::string_view name(Scope scope) {
  return kScopes[static_cast<size_t>(scope)];
}
std::string_view name(Operation operation) {
  return row_of(operation).name;
}

Result<Role> parse_role(std::string_view word) {
  const auto found = std::find(kRoles.begin(), kRoles.end(), word);
  if (found != kRoles.end()) return static_cast<Role>(found - kRoles.begin());
  return Error{ErrorKind::bad_input, "no such role", std::string(word),
               "known are viewer, member, billing, admin, operator"};
}

Result<Scope> parse_scope(std::string_view word) {
  const auto found = std::find(kScopes.begin(), kScopes.end(), word);
  if (found != kScopes.end()) return static_cast<Scope>(found - kScopes.begin());
  return Error{ErrorKind::bad_input, "no such scope", std::string(word), "known are read, jobs, money, admin"};
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> list;
    for (const Row& row : kRows) list.push_back(row.operation);
    return list;
  }();
  return all;
}

Status permit(const Caller& caller, Operation operation, std::string_view organisation) {
  const Row& row = row_of(operation);
  const bool of_platform = caller.role == Role::operator_;
  if (!of_platform && !organisation.empty() && organisation != caller.organisation)
    return Error{ErrorKind::not_found, "no such thing in your organisation", std::string(row.name), ""};
  if (!of_platform && !(row.roles & (1u << static_cast<unsigned>(caller.role))))
    return Error{ErrorKind::permission,
                 "the role " + std::string(name(caller.role)) + " may not " + std::string(row.name), caller.user,
                 "ask an admin of your organisation, or the operator"};
  if (std::find(caller.scopes.begin(), caller.scopes.end(), row.scope) == caller.scopes.end())
    return Error{ErrorKind::permission, "the key lacks the scope " + std::string(name(row.scope)),
                 std::string(row.name), "use a key that has it"};
  return {};
}

}  // namespace tqm::fleet
