#include "stats/interval.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "stats/distribution.hpp"
#include "stats/moments.hpp"

namespace tqm::stats {
namespace {

Status check(std::span<const double> values, double confidence) {
  if (!(confidence > 0 && confidence < 1))
    return Error{ErrorKind::bad_input, "a confidence must lie between 0 and 1", std::to_string(confidence),
                 "0.95 is usual"};
  if (values.size() < 2)
    return Error{ErrorKind::bad_input, "an interval needs at least two values",
                 std::to_string(values.size()) + " given", "measure more"};
  for (size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      return Error{ErrorKind::breakdown, "a value is not finite", "value " + std::to_string(i),
                   "look where it came from"};
  return {};
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The sorted list's quantile, definition 7.
double sorted_quantile(const std::vector<double>& sorted, double p) {
  const double position = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Efron's acceleration, from the statistic with each block left out.
double acceleration(std::span<const double> values, const Statistic& statistic, size_t block) {
  std::vector<double> left_out;
  std::vector<double> rest;
  for (size_t begin = 0; begin < values.size(); begin += block) {
    const size_t end = std::min(begin + block, values.size());
    rest.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(begin));
    rest.insert(rest.end(), values.begin() + static_cast<std::ptrdiff_t>(end), values.end());
    left_out.push_back(statistic(rest));
  }
  const double centre = mean(left_out);
  double squares = 0;
  double cubes = 0;
  for (double value : left_out) {
    const double d = centre - value;
    squares += d * d;
    cubes += d * d * d;
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

}  // namespace

Result<Interval> t_interval(std::span<const double> values, double confidence) {
  TRY(check(values, confidence));
  const Moments m = moments(values);
  const double reach = t_tail_quantile((1 - confidence) / 2, static_cast<double>(m.count() - 1)) * m.standard_error();
  return Interval{m.mean(), m.mean() - reach, m.mean() + reach, confidence};
}

Result<Interval> paired_t_interval(std::span<const double> a, std::span<const double> b, double confidence) {
  if (a.size() != b.size())
    return Error{ErrorKind::bad_input, "paired values must be equally many",
                 std::to_string(a.size()) + " and " + std::to_string(b.size()), "pair each value with its partner"};
  std::vector<double> differences(a.size());
  for (size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  return t_interval(differences, confidence);
}

Result<Interval> block_bootstrap(std::span<const double> values, const Statistic& statistic,
                                 const BootstrapPlan& plan) {
  TRY(check(values, plan.confidence));
  const size_t n = values.size();
  const size_t block =
      plan.block > 0 ? plan.block : static_cast<size_t>(std::ceil(std::cbrt(static_cast<double>(n)) - 1e-9));
  if (n < 2 * block)
    return Error{ErrorKind::bad_input, "a block bootstrap needs at least two blocks",
                 std::to_string(n) + " values in blocks of " + std::to_string(block), "take shorter blocks"};
  if (plan.resamples < 100)
    return Error{ErrorKind::bad_input, "a bootstrap needs at least 100 resamples", std::to_string(plan.resamples), ""};

  Random random(plan.seed);
  std::vector<double> sample(n);
  std::vector<double> statistics(plan.resamples);
  for (double& result : statistics) {
    for (size_t i = 0; i < n;) {
      size_t from = random.below(n);
      for (size_t j = 0; j < block && i < n; ++j, ++i) {
        sample[i] = values[from];
        if (++from == n) from = 0;
      }
    }
    result = statistic(sample);
  }
  std::sort(statistics.begin(), statistics.end());

  Interval interval;
  interval.estimate = statistic(values);
  interval.confidence = plan.confidence;
  double p_low = (1 - plan.confidence) / 2;
  double p_high = 1 - p_low;
  if (plan.kind == BootstrapKind::bca && statistics.front() < statistics.back()) {
    // Ties count half, and a tail is never empty: discrete statistics would otherwise ask for an infinite quantile.
    const auto less = std::lower_bound(statistics.begin(), statistics.end(), interval.estimate) - statistics.begin();
    const auto not_more =
        std::upper_bound(statistics.begin(), statistics.end(), interval.estimate) - statistics.begin();
    const auto count = static_cast<double>(plan.resamples);
    const double share = std::clamp(0.5 * static_cast<double>(less + not_more) / count, 0.5 / count, 1 - 0.5 / count);
    const double bias = normal_quantile(share);
    const double accelerate = acceleration(values, statistic, block);
    auto moved = [&](double p) {
      const double z = bias + normal_quantile(p);
      return normal_cdf(bias + z / (1 - accelerate * z));
    };
    p_low = moved(p_low);
    p_high = moved(p_high);
  }
  interval.low = sorted_quantile(statistics, p_low);
  interval.high = sorted_quantile(statistics, p_high);
  return interval;
}

Result<Interval> block_bootstrap_mean(std::span<const double> values, const BootstrapPlan& plan) {
  return block_bootstrap(values, mean, plan);
}

}  // namespace tqm::stats
