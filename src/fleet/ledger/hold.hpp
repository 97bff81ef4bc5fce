// A job runs on money that is set aside for it: a hold. A charge is taken from the hold and so can't fail; what is left
// goes back in the end. A hold keeps its worth after its lot has expired (the promise was made in time), but what comes
// back then goes to `expired`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fleet/ledger/charge.hpp"
#include "fleet/ledger/lot.hpp"

namespace tqm::fleet {

struct JobAccount {
  std::string organisation;
  std::string job;
};

// Lots that may be drawn now, in order, and what they hold together.
std::vector<Lot> drawable(std::span<const Lot> lots, int64_t now_ms);
Micro total(std::span<const Lot> lots);

// Sets `amount` aside. payment where the lots that have not expired hold less.
Result<Transaction> hold(const JobAccount& job, std::span<const Lot> lots, Micro amount, std::string key,
                         int64_t now_ms);

// Takes a charge for `seconds` out of what is held: `held` are the lots with the amounts held of each as balances.
// internal where it holds less: the job was let run beyond its paid_until.
Result<Transaction> charge(const JobAccount& job, std::span<const Lot> held, const Charge& amount, int64_t seconds,
                           std::string key, int64_t now_ms);

// Gives everything back that is held; none where nothing is.
std::optional<Transaction> release(const JobAccount& job, std::span<const Lot> held, std::string key, int64_t now_ms);

}  // namespace tqm::fleet
