// A transaction moves money between accounts of the ledger; its entries add up to zero. It is written once and never
// changed: a mistake is mended by another transaction.
//
// The accounts, by name:
//   lot/LOT           what is left of one lot of credit of an organisation; never below zero
//   held/JOB/LOT      what is set aside of it for a job; never below zero
//   outside           where paid money comes from and refunds go to
//   promotion         where vouchers come from
//   subsidy/domestic, subsidy/sector     the platform's share of a charge
//   goodwill          where credits come from
//   expired           what was left of vouchers on their last day
//   rounding          parts of a fen that a bill gave back
//   revenue           what was charged, before subsidies
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/ledger/money.hpp"

namespace tqm::fleet {

enum class TransactionKind { top_up, grant, hold, charge, release, expire, refund, credit, round };
std::string_view name(TransactionKind kind);
Result<TransactionKind> parse_transaction_kind(std::string_view word);

struct Entry {
  std::string account;
  Micro amount = 0;  // added to the account
  bool operator==(const Entry&) const = default;
};

struct Transaction {
  std::string key;  // unique in the ledger: what is posted twice is posted once
  TransactionKind kind = TransactionKind::top_up;
  std::string organisation;
  std::string job;      // may be empty
  int64_t seconds = 0;  // of use that a charge is for
  int64_t time_ms = 0;  // since 1970, UTC
  std::string note;
  std::vector<Entry> entries;
  bool operator==(const Transaction&) const = default;
};

std::string lot_account(std::string_view lot);
std::string held_account(std::string_view job, std::string_view lot);
bool never_below_zero(std::string_view account);

// Letters, digits, '-', '_' and '.', 1 to 64 of them.
bool is_id(std::string_view text);

// Refuses fewer than two entries, an amount of zero, an account that is none of the above or stands twice, and entries
// that do not add up to zero.
Status check_transaction(const Transaction& transaction);

}  // namespace tqm::fleet
