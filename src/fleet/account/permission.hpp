// Who may do what: one table of operations, each with the roles that may and the scope that a key needs. Pure; the
// service asks it before anything else, and its tests walk the whole table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tqm::fleet {

enum class Role {
  viewer,    // reads
  member,    // runs jobs too
  billing,   // sees and moves the organisation's money, runs nothing
  admin,     // users, keys, projects and limits of one organisation
  operator_  // of the platform: every organisation, prices, vouchers, nodes
};
std::string_view name(Role role);  // "viewer", "member", "billing", "admin", "operator"
Result<Role> parse_role(std::string_view word);

enum class Scope { read, jobs, money, admin };  // what a key is good for; a role never gives a key more than its scopes
std::string_view name(Scope scope);
Result<Scope> parse_scope(std::string_view word);

enum class Operation {
  list_node_types,
  compare_prices,
  show_organisation,
  list_jobs,
  show_job,
  watch_job,
  read_logs,
  fetch_artifact,
  quote_job,
  submit_job,
  cancel_job,
  pause_job,
  resume_job,
  open_shell,
  show_balance,
  list_bills,
  show_bill,
  list_transactions,
  top_up,
  refund,
  grant_voucher,
  grant_credit,
  create_project,
  set_budget,
  set_limits,
  create_user,
  set_role,
  create_key,
  revoke_key,
  list_keys,
  read_audit,
  create_organisation,
  list_organisations,
  set_price,
  register_node,
  drain_node,
  backup,
  verify_ledger,
};
std::string_view name(Operation operation);  // "submit-job"
const std::vector<Operation>& operations();

// Who asks: a key, with what its user is and where.
struct Caller {
  std::string user, organisation;
  Role role = Role::viewer;
  std::vector<Scope> scopes;
};

// organisation: whose things the operation touches; empty where it touches nobody's. Refuses with permission, and says
// whether role, scope or organisation is missing; what belongs to another organisation is not_found, so that nobody
// learns that it is there.
Status permit(const Caller& caller, Operation operation, std::string_view organisation);

}  // namespace tqm::fleet
