#include "fleet/ledger/lot.hpp"

#include <array>
#include <limits>
#include <tuple>

namespace tqm::fleet {
namespace {

constexpr std::array<std::string_view, 5> kKinds = {"trial", "voucher", "research", "credit", "paid"};

auto rank(const Lot& lot) {
  return std::make_tuple(lot.expires_ms.value_or(std::numeric_limits<int64_t>::max()), lot.kind,
                         std::string_view(lot.id));
}

Transaction between(TransactionKind kind, const Lot& lot, std::string from, std::string to, Micro amount) {
  Transaction transaction;
  transaction.kind = kind;
  transaction.organisation = lot.organisation;
  transaction.entries = {{std::move(from), -amount}, {std::move(to), amount}};
  return transaction;
}

Status check_new(const Lot& lot, int64_t now_ms) {
  TRY(check_amount(lot.balance));
  if (expired(lot, now_ms))
    return Error{ErrorKind::bad_input, "the lot would be expired from the beginning", lot.id, "give a later expiry"};
  return {};
}

}  // namespace

std::string_view name(LotKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

Result<LotKind> parse_lot_kind(std::string_view word) {
  for (size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i] == word) return static_cast<LotKind>(i);
  return Error{ErrorKind::bad_input, "no such kind of credit", std::string(word),
               "known are trial, voucher, research, credit, paid"};
}

bool expired(const Lot& lot, int64_t now_ms) {
  return lot.expires_ms && *lot.expires_ms <= now_ms;
}
bool drawn_before(const Lot& a, const Lot& b) {
  return rank(a) < rank(b);
}

Result<Transaction> grant(const GrantRequest& request, const GrantsSoFar& so_far, int64_t now_ms) {
  const Lot& lot = request.lot;
  TRY(check_new(lot, now_ms));
  switch (lot.kind) {
    case LotKind::paid:
      return Error{ErrorKind::bad_input, "paid money is topped up, not granted", lot.id, ""};
    case LotKind::trial:
      if (so_far.trials > 0)
        return Error{ErrorKind::payment, "the organisation has had its trial credit", lot.organisation, "top up"};
      if (lot.balance != kTrialCredit)
        return Error{ErrorKind::bad_input, "the trial credit is " + yuan_text(kTrialCredit) + " yuan",
                     yuan_text(lot.balance), ""};
      break;
    case LotKind::research:
      if (!so_far.research_team)
        return Error{ErrorKind::payment, "research vouchers are for research groups and universities", lot.organisation,
                     ""};
      if (TRY(add_money(so_far.research, lot.balance)) > kMostResearchVouchers)
        return Error{ErrorKind::payment,
                     "research vouchers end at " + yuan_text(kMostResearchVouchers) +
                         " yuan an organisation; it has had " + yuan_text(so_far.research),
                     lot.organisation, "give at most " + yuan_text(kMostResearchVouchers - so_far.research)};
      break;
    case LotKind::voucher:
    case LotKind::credit:
      break;
  }
  const char* from = lot.kind == LotKind::credit ? "goodwill" : "promotion";
  const TransactionKind kind = lot.kind == LotKind::credit ? TransactionKind::credit : TransactionKind::grant;
  Transaction transaction = between(kind, lot, from, lot_account(lot.id), lot.balance);
  transaction.key = request.key;
  transaction.note = request.note;
  transaction.time_ms = now_ms;
  return transaction;
}

Result<Transaction> top_up(const Lot& lot, std::string key, std::string note, int64_t now_ms) {
  TRY(check_new(lot, now_ms));
  if (lot.kind != LotKind::paid || lot.expires_ms)
    return Error{ErrorKind::bad_input, "a top-up is paid money without an expiry", lot.id, ""};
  Transaction transaction = between(TransactionKind::top_up, lot, "outside", lot_account(lot.id), lot.balance);
  transaction.key = std::move(key);
  transaction.note = std::move(note);
  transaction.time_ms = now_ms;
  return transaction;
}

Result<Transaction> refund(const Lot& lot, Micro amount, std::string key, std::string note, int64_t now_ms) {
  TRY(check_amount(amount));
  if (lot.kind != LotKind::paid)
    return Error{ErrorKind::payment, "only paid money is refunded", lot.id,
                 "this lot is a " + std::string(name(lot.kind))};
  if (amount > lot.balance)
    return Error{ErrorKind::payment, "more than is left of the lot (" + yuan_text(lot.balance) + " yuan)", lot.id, ""};
  Transaction transaction = between(TransactionKind::refund, lot, lot_account(lot.id), "outside", amount);
  transaction.key = std::move(key);
  transaction.note = std::move(note);
  transaction.time_ms = now_ms;
  return transaction;
}

std::optional<Transaction> expire(const Lot& lot, int64_t now_ms) {
  if (!expired(lot, now_ms) || lot.balance <= 0) return std::nullopt;
  Transaction transaction = between(TransactionKind::expire, lot, lot_account(lot.id), "expired", lot.balance);
  transaction.key = "expire/" + lot.id;
  transaction.time_ms = now_ms;
  return transaction;
}

}  // namespace tqm::fleet
