// Credit comes in lots: each top-up, voucher and credit is one, with its own last moment or none. Money is drawn from
// lots in one order: those that expire, the earliest first; then the trial, vouchers, credits, and paid money last.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/ledger/transaction.hpp"

namespace tqm::fleet {

enum class LotKind { trial, voucher, research, credit, paid };  // in the order in which those of one expiry are drawn
std::string_view name(LotKind kind);
Result<LotKind> parse_lot_kind(std::string_view word);

struct Lot {
  std::string id;
  std::string organisation;
  LotKind kind = LotKind::paid;
  std::optional<int64_t> expires_ms;  // from then on it can't be drawn
  Micro balance = 0;
};

bool expired(const Lot& lot, int64_t now_ms);
bool drawn_before(const Lot& a, const Lot& b);  // a total order: by expiry, kind, id

constexpr Micro kTrialCredit = 10 * kYuan;
constexpr Micro kMostResearchVouchers = 50'000 * kYuan;  // to one organisation, all together

// What decides whether a voucher may be given.
struct GrantRequest {
  Lot lot;  // balance: the amount
  std::string key;
  std::string note;
};
struct GrantsSoFar {
  int trials = 0;
  Micro research = 0;
  bool research_team = false;  // a research group or a university
};
// Of a trial, voucher, research voucher or credit. Refuses (payment) a second trial, another amount than 10 yuan for
// it, research vouchers beyond 50,000 yuan or to others; (bad_input) an expiry that is past, paid money.
Result<Transaction> grant(const GrantRequest& request, const GrantsSoFar& so_far, int64_t now_ms);

Result<Transaction> top_up(const Lot& lot, std::string key, std::string note, int64_t now_ms);

// Paid money only, at most what is left of the lot.
Result<Transaction> refund(const Lot& lot, Micro amount, std::string key, std::string note, int64_t now_ms);

// Takes what is left of an expired lot; none where nothing is left or it has not expired.
std::optional<Transaction> expire(const Lot& lot, int64_t now_ms);

}  // namespace tqm::fleet
