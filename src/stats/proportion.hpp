// Two answerers on the same questions: is one right more often? McNemar's test and an interval of the difference.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "stats/interval.hpp"

namespace tqm::stats {

// Questions by who answered them rightly.
struct PairedCounts {
  int64_t both = 0;
  int64_t only_first = 0;
  int64_t only_second = 0;
  int64_t neither = 0;
};

struct McNemar {
  double exact = 1;  // two-sided p, binomial on the discordant pairs
  double mid_p = 1;  // the same counting half of the observed outcome (Fagerland, Lydersen and Laake, BMC Med. Res.
                     // Methodol. 13 (2013) 91), which keeps the level and is less timid
};

// Refuses negative counts and an empty table.
Result<McNemar> mcnemar(const PairedCounts& counts);

// accuracy of the first - accuracy of the second, with the score interval of T. Tango, Statistics in Medicine 17 (1998)
// 891, which holds its level at few or no discordant pairs, where the usual normal interval has width 0.
Result<Interval> paired_difference(const PairedCounts& counts, double confidence = 0.95);

}  // namespace tqm::stats
