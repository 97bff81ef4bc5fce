// A straight line through points with errors: Arrhenius plots, extrapolations in system size, drift.
#pragma once

#include <span>

#include "base/result.hpp"

namespace tqm::stats {

struct Line {
  double slope = 0;
  double intercept = 0;
  double slope_error = 0;      // one standard deviation
  double intercept_error = 0;  // one standard deviation
  double covariance = 0;       // of slope and intercept
  double chi_square = 0;       // sum of squared residuals, each divided by its error
  size_t degrees = 0;          // points - 2

  double at(double x) const { return intercept + slope * x; }
  double error_at(double x) const;  // one standard deviation of the line itself
};

// Weighted least squares with known errors of y (weights 1 / error²): P. R. Bevington, Data Reduction and Error
// Analysis, formulas 6.12, 6.21 and 6.22, about the weighted mean of x. Two points or more at two places or more;
// errors positive; all finite.
Result<Line> fit_line(std::span<const double> x, std::span<const double> y, std::span<const double> y_error);
// Equal, unknown errors, estimated from the scatter about the line; three points or more.
Result<Line> fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace tqm::stats
