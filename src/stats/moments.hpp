// Running mean, variance and skewness, and quantiles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace tqm::stats {

// One pass, without the cancellation of sums of squares: B. P. Welford, Technometrics 4 (1962); third moment and
// merging by P. Pébay, SAND2008-6212, formulas 2.1 to 3.1.
class Moments {
 public:
  void add(double value);
  void merge(const Moments& other);

  int64_t count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const;  // with n - 1; 0 below two values
  double deviation() const;
  double standard_error() const;  // deviation / sqrt(n)
  double skewness() const;        // third central moment / variance^1.5, with n; 0 where all values are equal

 private:
  int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  double cubes_ = 0;
};

Moments moments(std::span<const double> values);

// The p-quantiles, 0 <= p <= 1, each between order statistics by linear interpolation at (n - 1) p: definition 7 of
// Hyndman and Fan, The American Statistician 50 (1996), which NumPy and R use unless told otherwise. Refuses an empty
// set and NaN.
Result<std::vector<double>> quantiles(std::span<const double> values, std::span<const double> probabilities);
Result<double> quantile(std::span<const double> values, double probability);

}  // namespace tqm::stats
