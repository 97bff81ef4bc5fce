#include "fleet/ledger/hold.hpp"

#include <algorithm>
#include <map>

namespace tqm::fleet {
namespace {

Transaction begin(TransactionKind kind, const JobAccount& job, std::string key, int64_t now_ms) {
  Transaction transaction;
  transaction.kind = kind;
  transaction.key = std::move(key);
  transaction.organisation = job.organisation;
  transaction.job = job.job;
  transaction.time_ms = now_ms;
  return transaction;
}

std::vector<Lot> in_order(std::span<const Lot> lots) {
  std::vector<Lot> sorted(lots.begin(), lots.end());
  std::sort(sorted.begin(), sorted.end(), drawn_before);
  return sorted;
}

}  // namespace

std::vector<Lot> drawable(std::span<const Lot> lots, int64_t now_ms) {
  std::vector<Lot> sorted = in_order(lots);
  std::erase_if(sorted, [&](const Lot& lot) { return expired(lot, now_ms) || lot.balance <= 0; });
  return sorted;
}

Micro total(std::span<const Lot> lots) {
  Micro sum = 0;
  for (const Lot& lot : lots) sum += lot.balance;
  return sum;
}

Result<Transaction> hold(const JobAccount& job, std::span<const Lot> lots, Micro amount, std::string key,
                         int64_t now_ms) {
  TRY(check_amount(amount));
  const std::vector<Lot> usable = drawable(lots, now_ms);
  if (const Micro there = total(usable); there < amount)
    return Error{
        ErrorKind::payment,
        "the credit does not suffice: " + yuan_text(amount) + " yuan are needed, " + yuan_text(there) + " are free",
        job.organisation, "top up"};
  Transaction transaction = begin(TransactionKind::hold, job, std::move(key), now_ms);
  for (const Lot& lot : usable) {
    const Micro part = std::min(lot.balance, amount);
    if (part == 0) break;
    transaction.entries.push_back({lot_account(lot.id), -part});
    transaction.entries.push_back({held_account(job.job, lot.id), part});
    amount -= part;
  }
  return transaction;
}

Result<Transaction> charge(const JobAccount& job, std::span<const Lot> held, const Charge& amount, int64_t seconds,
                           std::string key, int64_t now_ms) {
  if (amount.gross <= 0 || amount.domestic < 0 || amount.sector < 0 || amount.net() < 0)
    return Error{ErrorKind::internal, "a charge that is not above zero", job.job, ""};
  Micro left = amount.net();
  if (const Micro there = total(held); there < left)
    return Error{ErrorKind::internal,
                 "a charge of " + yuan_text(left) + " yuan, and only " + yuan_text(there) + " are held", job.job, ""};
  Transaction transaction = begin(TransactionKind::charge, job, std::move(key), now_ms);
  transaction.seconds = seconds;
  for (const Lot& lot : in_order(held)) {
    const Micro part = std::min(lot.balance, left);
    if (part <= 0) continue;
    transaction.entries.push_back({held_account(job.job, lot.id), -part});
    left -= part;
  }
  if (amount.domestic > 0) transaction.entries.push_back({"subsidy/domestic", -amount.domestic});
  if (amount.sector > 0) transaction.entries.push_back({"subsidy/sector", -amount.sector});
  transaction.entries.push_back({"revenue", amount.gross});
  return transaction;
}

std::optional<Transaction> release(const JobAccount& job, std::span<const Lot> held, std::string key, int64_t now_ms) {
  Transaction transaction = begin(TransactionKind::release, job, std::move(key), now_ms);
  Micro gone = 0;
  for (const Lot& lot : in_order(held)) {
    if (lot.balance <= 0) continue;
    transaction.entries.push_back({held_account(job.job, lot.id), -lot.balance});
    if (expired(lot, now_ms)) {
      gone += lot.balance;
    } else {
      transaction.entries.push_back({lot_account(lot.id), lot.balance});
    }
  }
  if (gone > 0) transaction.entries.push_back({"expired", gone});
  if (transaction.entries.empty()) return std::nullopt;
  return transaction;
}

}  // namespace tqm::fleet
