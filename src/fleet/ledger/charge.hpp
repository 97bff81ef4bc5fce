// What seconds cost. A charge is never worked out for a piece of time: it is the charge of all seconds so far less what
// was charged before, so that however the time is cut the sum is the same.
//
//   gross    = floor(seconds x price an hour / 3600)
//   domestic = floor(gross x 30 / 100), on chips made in China
//   sector   = floor((gross - domestic) x 15 / 100), further, for universities and state-owned firms
//   net      = gross - domestic - sector: what the customer pays
//
// Each grows with the seconds, so no later charge is ever below zero.
#pragma once

#include <cstdint>

#include "fleet/ledger/money.hpp"

namespace tqm::fleet {

constexpr int kDomesticPercent = 30;
constexpr int kSectorPercent = 15;
constexpr int64_t kMostSeconds = 100LL * 366 * 86400;  // a hundred years

// Frozen in the order.
struct Terms {
  Micro price_hour = 0;  // of all nodes of the job together
  int domestic_percent = 0;
  int sector_percent = 0;
  bool operator==(const Terms&) const = default;
};

struct Charge {
  Micro gross = 0, domestic = 0, sector = 0;
  Micro net() const { return gross - domestic - sector; }
  Charge operator-(const Charge& before) const {
    return {gross - before.gross, domestic - before.domestic, sector - before.sector};
  }
  bool operator==(const Charge&) const = default;
};

// Refuses a price that is negative or above kMostMoney, percents outside 0 to 100.
Status check_terms(const Terms& terms);

// Of all `seconds` from the first on. Refuses a negative count, one above kMostSeconds, and what does not fit.
Result<Charge> charge_of(const Terms& terms, int64_t seconds);

// The most seconds, at most `most`, whose net charge is covered by `money`; 0 where money is negative.
Result<int64_t> seconds_for(const Terms& terms, Micro money, int64_t most = kMostSeconds);

}  // namespace tqm::fleet
