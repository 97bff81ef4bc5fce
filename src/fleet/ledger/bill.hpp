// A bill of an organisation for a period, made from the ledger's own transactions: its lines add up to them to the last
// micro-yuan. The total is rounded down to the fen, once, and what is cut off is posted back to the customer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "fleet/ledger/transaction.hpp"

namespace tqm::fleet {

// One line a job for what was used, and one each for a credit.
struct BillLine {
  TransactionKind kind = TransactionKind::charge;  // charge or credit
  std::string job;
  std::string text;
  int64_t seconds = 0;
  Micro gross = 0, domestic = 0, sector = 0;  // of charges
  Micro net = 0;                              // gross - domestic - sector; of credits: below zero
};

struct Bill {
  std::string organisation;
  int64_t from_ms = 0, to_ms = 0;                      // from <= time < to
  std::vector<BillLine> lines;                         // by job, credits after charges
  Micro exact = 0;                                     // the sum of the lines; below zero where credits are larger
  Micro rounded = 0;                                   // whole fen, at most `exact`
  Micro remainder() const { return exact - rounded; }  // 0 to 9,999
};

// Takes the charges and credits of that organisation in that period; passes over all others.
Result<Bill> make_bill(std::string organisation, int64_t from_ms, int64_t to_ms,
                       std::span<const Transaction> transactions);

// Gives the remainder back into the lot; none where there is none. The key holds organisation and period.
std::optional<Transaction> round_bill(const Bill& bill, const std::string& credit_lot, int64_t now_ms);

// Amounts as texts in yuan and as whole micro-yuan.
Json bill_json(const Bill& bill);
std::string bill_csv(const Bill& bill);   // RFC 4180, with a line of titles
std::string bill_html(const Bill& bill);  // a page by itself, no outside request

}  // namespace tqm::fleet
