#include "stats/proportion.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "stats/distribution.hpp"

namespace tqm::stats {
namespace {

Status check(const PairedCounts& counts) {
  if (std::min({counts.both, counts.only_first, counts.only_second, counts.neither}) < 0)
    return Error{ErrorKind::bad_input, "a count of answers is negative", "", "count again"};
  if (counts.both + counts.only_first + counts.only_second + counts.neither == 0)
    return Error{ErrorKind::bad_input, "no questions were answered", "", "give at least one question"};
  return {};
}

// Tango's score statistic for difference d: formula 9, the nuisance probability from its quadratic.
double score(double b, double c, double n, double d) {
  const double linear = -b - c + (2 * n - b + c) * d;
  const double constant = -c * d * (1 - d);
  const double q = std::max(0.0, (std::sqrt(std::max(0.0, linear * linear - 8 * n * constant)) - linear) / (4 * n));
  const double variance = n * (2 * q + d * (1 - d));
  const double distance = b - c - n * d;
  if (variance <= 0) return distance == 0 ? 0 : std::copysign(1e300, distance);
  return distance / std::sqrt(variance);
}

}  // namespace

Result<McNemar> mcnemar(const PairedCounts& counts) {
  TRY(check(counts));
  const int64_t fewer = std::min(counts.only_first, counts.only_second);
  const int64_t discordant = counts.only_first + counts.only_second;
  McNemar result;
  if (discordant == 0) return result;
  const double tail = binomial_cdf(fewer, discordant, 0.5);
  const double point = binomial_probability(fewer, discordant, 0.5);
  result.exact = std::min(1.0, 2 * tail);
  result.mid_p = counts.only_first == counts.only_second ? 1 - point / 2 : 2 * tail - point;
  return result;
}

Result<Interval> paired_difference(const PairedCounts& counts, double confidence) {
  TRY(check(counts));
  if (!(confidence > 0 && confidence < 1))
    return Error{ErrorKind::bad_input, "a confidence must lie between 0 and 1", std::to_string(confidence),
                 "0.95 is usual"};
  const auto b = static_cast<double>(counts.only_first);
  const auto c = static_cast<double>(counts.only_second);
  const auto n = static_cast<double>(counts.both + counts.only_first + counts.only_second + counts.neither);
  const double z = normal_tail_quantile((1 - confidence) / 2);
  Interval interval{(b - c) / n, -1, 1, confidence};
  // The score falls as d grows: bisection on either side of the estimate.
  auto solve = [&](double from, double to, double wanted) {
    for (int i = 0; i < 100; ++i) {
      const double middle = 0.5 * (from + to);
      (score(b, c, n, middle) > wanted ? from : to) = middle;
    }
    return 0.5 * (from + to);
  };
  if (interval.estimate > -1) interval.low = solve(-1, interval.estimate, z);
  if (interval.estimate < 1) interval.high = solve(interval.estimate, 1, -z);
  return interval;
}

}  // namespace tqm::stats
