// Credit in and out. Each function is one transaction's work: it reads, decides and writes through the connection that
// it is given, and is repeated without harm under the same key.
#pragma once

#include <string>
#include <vector>

#include "fleet/ledger/bill.hpp"
#include "fleet/operate/decide.hpp"
#include "fleet/store/account_rows.hpp"

namespace tqm::fleet {

// Who acts, for the audit log, and when.
struct Actor {
  std::string who;
  int64_t now_ms = 0;  // since 1970, UTC
};

// With its trial credit.
Status create_organisation(Connection& connection, const Decide& decide, const OrganisationRow& organisation,
                           const Actor& actor);

// Top-up, voucher, research voucher or credit, by lot.kind; lot.balance is the amount. Repeated with the same lot:
// nothing.
Status give_credit(Connection& connection, const Decide& decide, const Lot& lot, const std::string& note,
                   const Actor& actor);

Status refund_lot(Connection& connection, const std::string& lot, Micro amount, const std::string& key,
                  const std::string& note, const Actor& actor);

// Posts what expired vouchers have left. How many there were.
Result<int64_t> expire_lots(Connection& connection, const Decide& decide, int64_t now_ms);

// Makes the bill of a period that is over and posts its rounding, once.
Result<Bill> bill_organisation(Connection& connection, const std::string& organisation, int64_t from_ms, int64_t to_ms,
                               const Actor& actor);

}  // namespace tqm::fleet
