// One live attempt of a job. The shim of attempt n claims it by compare-and-set before the user's process starts,
// renews it, and kills its tree without saving when no answer came for kFenceMs. Attempt n + 1 is granted only when
// attempt n can't run any more: it ended by its own word, or kFenceMs have passed since its last renewal and, where the
// engine said that its node is down, kFenceMs since that word.
//
// Times are the service's own clock that never goes back (CLOCK_BOOTTIME); each start of the service is an epoch, and
// times of different epochs can't be compared. A lease of an earlier epoch counts as renewed when this one began: what
// ran on while the service was away gets its whole time again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm::fleet {

constexpr int64_t kFenceMs = 5'000;

struct Moment {
  int64_t epoch = 0;
  int64_t ms = 0;  // since the epoch began
  bool operator==(const Moment&) const = default;
};

enum class LeaseState {
  granted,  // attempt may be claimed; nobody runs
  claimed,  // its holder runs or may run
  ended,    // its holder said that nothing of it runs any more, or it was fenced
};

struct Lease {
  int64_t attempt = 0;  // 0: none yet
  LeaseState state = LeaseState::ended;
  std::string holder;               // of the claim: a shim's own id
  Moment renewed;                   // the last time that the holder was answered
  std::optional<Moment> node_down;  // when the engine said that the holder's node is down
  bool operator==(const Lease&) const = default;
};

// When was it last alive, in this epoch's terms.
int64_t alive_ms(const Moment& last, const Moment& now);

// May the next attempt be granted, and the old one be counted as gone?
bool is_fenced(const Lease& lease, const Moment& now);

// The lease of attempt + 1. conflict while attempt may still run: 'next' says when to ask again.
Result<Lease> grant_next(const Lease& lease, const Moment& now);

// The first of attempt's shims gets it; the same shim asking twice gets the same answer. conflict for every other
// holder or attempt.
Result<Lease> claim(const Lease& lease, int64_t attempt, const std::string& holder, const Moment& now);

// conflict where it is not this holder's any more: the shim must kill its tree. A claim that has been silent longer
// than kFenceMs is lost even if nobody else has claimed it.
Result<Lease> renew(const Lease& lease, int64_t attempt, const std::string& holder, const Moment& now);

// The holder's own word that nothing of the attempt runs any more.
Result<Lease> end(const Lease& lease, int64_t attempt, const std::string& holder);

// The engine's word; only the first counts.
Lease node_down(const Lease& lease, const Moment& now);

// May a result of this attempt and holder be written? Only while the attempt is the last one and claimed by it.
Status check_write(const Lease& lease, int64_t attempt, const std::string& holder);

}  // namespace tqm::fleet
