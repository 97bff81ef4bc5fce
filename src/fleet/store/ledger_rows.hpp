// The ledger in tables: posting, reading back, checking.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fleet/ledger/lot.hpp"
#include "fleet/store/database.hpp"

namespace tqm::fleet {

// Checks that it balances, writes it, and brings the balances along. false where a transaction of this key stands
// already (nothing is written). Refused where an account that may not would go below zero.
Result<bool> post(Connection& connection, const Transaction& transaction);

Status add_lot(Connection& connection, const Lot& lot, int64_t now_ms);
// Of an organisation, with what is left of each; lots with nothing left are left out.
Result<std::vector<Lot>> lots_of(Connection& connection, const std::string& organisation);
Result<Lot> lot_of(Connection& connection, const std::string& id);  // not_found
// What a job holds, by lot.
Result<std::vector<Lot>> held_by_job(Connection& connection, const std::string& job);
Result<Micro> balance_of(Connection& connection, const std::string& account);  // 0 where it has no entry

// In the order in which they were posted. organisation empty: of all.
Result<std::vector<Transaction>> transactions(Connection& connection, const std::string& organisation, int64_t from_ms,
                                              int64_t to_ms);

struct LedgerCheck {
  int64_t transactions = 0, entries = 0, accounts = 0;
  std::vector<std::string> faults;  // one sentence each, at most 100
};
// Reads the whole ledger: every transaction adds up to zero, their numbers have no gap, each balance is the sum of its
// entries, nothing owned is below zero, and each job holds what its paid seconds cost, no more and no less.
Result<LedgerCheck> verify_ledger(Connection& connection);

// The same for some accounts only.
Result<std::vector<std::string>> verify_accounts(Connection& connection, std::span<const std::string> accounts);

}  // namespace tqm::fleet
