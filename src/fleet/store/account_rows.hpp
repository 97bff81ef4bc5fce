// Organisations, audit, keys, requests that were answered, prices in tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/account/key.hpp"
#include "fleet/account/limit.hpp"
#include "fleet/catalogue/node_type.hpp"
#include "fleet/ledger/lot.hpp"
#include "fleet/store/database.hpp"

namespace tqm::fleet {

struct OrganisationRow {
  std::string id, name;
  OrganisationKind kind = OrganisationKind::company;
  int64_t created_ms = 0;
  Limits limits;
};
Status add_organisation(Connection& connection, const OrganisationRow& organisation);
Result<OrganisationRow> organisation_of(Connection& connection, const std::string& id);  // not_found
Status save_limits(Connection& connection, const OrganisationRow& organisation);
Result<GrantsSoFar> grants_so_far(Connection& connection, const OrganisationRow& organisation);
// Active jobs and their nodes; spent since the month's beginning and held now.
Result<Use> use_of(Connection& connection, const std::string& organisation, int64_t now_ms);

struct MemberRow {
  std::string id, organisation, name;
  Role role = Role::viewer;
  int64_t created_ms = 0;
};
Status add_member(Connection& connection, const MemberRow& member);
Status add_key(Connection& connection, const ApiKey& key);
Status revoke_key(Connection& connection, const std::string& id, int64_t now_ms);
// Who brings this key; unauthenticated where it is none of ours, expired or revoked.
Result<Caller> caller_of(Connection& connection, const std::string& shown, int64_t now_ms);

// Every change of money and rights: who did what, when.
struct AuditRow {
  int64_t number = 0, time_ms = 0;
  std::string who, organisation, action, detail;
};
Status add_audit(Connection& connection, const AuditRow& row);
Result<std::vector<AuditRow>> audit_of(Connection& connection, const std::string& organisation, int64_t after,
                                       int64_t most);

// The answer that a request of this key got; conflict where the key came with another request.
Result<std::optional<std::string>> answered(Connection& connection, const std::string& organisation,
                                            const std::string& key, const std::string& hash);
Status keep_answer(Connection& connection, const std::string& organisation, const std::string& key,
                   const std::string& hash, const std::string& answer, int64_t now_ms);

// Brings the prices of a node type along; conflict where one that is kept has been changed in the file.
Status keep_prices(Connection& connection, const NodeType& type);

// A new start of the service: its number. Leases of earlier ones count from here.
Result<int64_t> next_epoch(Connection& connection);

}  // namespace tqm::fleet
