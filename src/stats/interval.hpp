// Confidence intervals of a mean: Student's t for independent values, the block bootstrap for correlated ones.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/result.hpp"

namespace tqm::stats {

struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
  double confidence = 0.95;  // of both sides together
};

// mean ± t(n - 1) s / sqrt(n), for independent values; at least two, all finite.
Result<Interval> t_interval(std::span<const double> values, double confidence = 0.95);
// The same of the differences a[i] - b[i].
Result<Interval> paired_t_interval(std::span<const double> a, std::span<const double> b, double confidence = 0.95);

enum class BootstrapKind { percentile, bca };

struct BootstrapPlan {
  size_t block =
      0;  // values a block; 0: n^(1/3) rounded up, the order that suits a mean (Hall, Horowitz and Jing 1995)
  size_t resamples = 2000;
  double confidence = 0.95;
  BootstrapKind kind = BootstrapKind::bca;
  uint64_t seed = 1;
};

using Statistic = std::function<double(std::span<const double>)>;

// For a sequence whose neighbours are correlated: blocks of consecutive values, drawn with replacement from the
// sequence closed to a ring (circular block bootstrap; Politis and Romano 1992). BCa: bias-corrected and accelerated,
// B. Efron, JASA 82 (1987), formulas 2.3 and 6.6, its acceleration from leaving out one block at a time. The same seed
// gives the same interval. At least two blocks, all values finite.
Result<Interval> block_bootstrap(std::span<const double> values, const Statistic& statistic, const BootstrapPlan& plan);
Result<Interval> block_bootstrap_mean(std::span<const double> values, const BootstrapPlan& plan);

}  // namespace tqm::stats
