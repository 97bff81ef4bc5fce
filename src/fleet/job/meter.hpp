// Counts the seconds of a job and says how far its money reaches. A shim counts its attempt's monotonic seconds and
// sends (attempt, from, to): `from` is what was acknowledged to it, `to` what it has run. Sent twice, late or out of
// order it changes nothing: what counts is the largest `to`.
//
// Invariant: the hold of a job covers exactly its seconds from `seconds` to `paid_to`.
#pragma once

#include <cstdint>

#include "fleet/ledger/charge.hpp"

namespace tqm::fleet {

constexpr int64_t kHoldSeconds = 120;  // that each renewal pays ahead, and the grace on top

struct Meter {
  Terms terms;
  int64_t seconds = 0;     // counted over all attempts
  int64_t paid_to = 0;     // seconds >= that, of all attempts, are not paid for
  int64_t attempt = 0;     // that is counted now
  int64_t counted = 0;     // of its own seconds
  int64_t checkpoint = 0;  // its own seconds at its last committed checkpoint
  bool operator==(const Meter&) const = default;
};

struct UseReport {
  int64_t attempt = 0;
  int64_t from = 0, to = 0;  // the attempt's own seconds
  int64_t checkpoint = 0;    // of them, at its last committed checkpoint; 0: none in this attempt
};

struct Counted {
  Meter after;
  int64_t seconds = 0;  // that are new
  Charge charge;        // for them
  int64_t unpaid = 0;   // reported beyond paid_to: ours to bear
};

// conflict for another attempt than the current; bad_input for a report that is none; internal where `from` lies beyond
// what was counted: an acknowledgement was lost.
Result<Counted> count(const Meter& meter, const UseReport& report);

struct Extension {
  Meter after;
  Micro hold = 0;        // to be set aside for it; 0: nothing to do, or nothing costs anything
  int64_t short_of = 0;  // seconds of the wanted ones that the money does not cover
};

// Pays ahead to `seconds` + ahead_s, not beyond time_limit_s, as far as `money` reaches. Never takes back.
Result<Extension> extend(const Meter& meter, int64_t ahead_s, int64_t time_limit_s, Micro money);

// The attempt's own second at which its shim must have ended.
int64_t paid_until(const Meter& meter);

// Another attempt begins: from its first second, with nothing held.
Meter begin_attempt(const Meter& meter, int64_t attempt);

// Of an attempt that was lost: the seconds since its last checkpoint, which are run again, and their net price.
struct Redone {
  int64_t seconds = 0;
  Micro credit = 0;
};
Result<Redone> redone(const Meter& meter);

}  // namespace tqm::fleet
