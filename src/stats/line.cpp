#include "stats/line.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tqm::stats {
namespace {

Status check(std::span<const double> x, std::span<const double> y, std::span<const double> error, size_t least) {
  if (x.size() != y.size() || x.size() != error.size())
    return Error{ErrorKind::bad_input, "a line needs as many x as y and errors",
                 std::to_string(x.size()) + ", " + std::to_string(y.size()) + " and " + std::to_string(error.size()),
                 "give each point its x, y and error"};
  if (x.size() < least)
    return Error{ErrorKind::bad_input, "a line needs at least " + std::to_string(least) + " points",
                 std::to_string(x.size()) + " given", "measure more"};
  for (size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]) || !std::isfinite(error[i]))
      return Error{ErrorKind::breakdown, "a point is not finite", "point " + std::to_string(i),
                   "look where it came from"};
    if (error[i] <= 0)
      return Error{ErrorKind::bad_input, "an error must be positive", "point " + std::to_string(i),
                   "leave the point out, or give its error"};
  }
  const auto [least_x, most_x] = std::minmax_element(x.begin(), x.end());
  if (*least_x == *most_x)
    return Error{ErrorKind::bad_input, "all points lie at the same x", std::to_string(*least_x),
                 "a line needs points at two places"};
  return {};
}

Line fit(std::span<const double> x, std::span<const double> y, std::span<const double> error) {
  double sum = 0;
  double sum_x = 0;
  double sum_y = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (error[i] * error[i]);
    sum += weight;
    sum_x += weight * x[i];
    sum_y += weight * y[i];
  }
  const double mean_x = sum_x / sum;
  const double mean_y = sum_y / sum;
  double spread = 0;
  double product = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (error[i] * error[i]);
    spread += weight * (x[i] - mean_x) * (x[i] - mean_x);
    product += weight * (x[i] - mean_x) * (y[i] - mean_y);
  }
  Line line;
  line.slope = product / spread;
  line.intercept = mean_y - line.slope * mean_x;
  line.slope_error = std::sqrt(1 / spread);
  line.intercept_error = std::sqrt(1 / sum + mean_x * mean_x / spread);
  line.covariance = -mean_x / spread;
  line.degrees = x.size() - 2;
  for (size_t i = 0; i < x.size(); ++i) {
    const double residual = (y[i] - line.at(x[i])) / error[i];
    line.chi_square += residual * residual;
  }
  return line;
}

}  // namespace

double Line::error_at(double x) const {
  const double variance = intercept_error * intercept_error + 2 * x * covariance + x * x * slope_error * slope_error;
  return std::sqrt(std::max(0.0, variance));
}

Result<Line> fit_line(std::span<const double> x, std::span<const double> y, std::span<const double> y_error) {
  TRY(check(x, y, y_error, 2));
  return fit(x, y, y_error);
}

Result<Line> fit_line(std::span<const double> x, std::span<const double> y) {
  const std::vector<double> ones(x.size(), 1.0);
  TRY(check(x, y, ones, 3));
  Line line = fit(x, y, ones);
  const double variance = line.chi_square / static_cast<double>(line.degrees);
  line.slope_error *= std::sqrt(variance);
  line.intercept_error *= std::sqrt(variance);
  line.covariance *= variance;
  line.chi_square = variance > 0 ? static_cast<double>(line.degrees) : 0;
  return line;
}

}  // namespace tqm::stats
