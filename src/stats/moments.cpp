#include "stats/moments.hpp"

#include <algorithm>
#include <cmath>

namespace tqm::stats {

void Moments::add(double value) {
  const auto before = static_cast<double>(count_);
  const double n = before + 1;
  const double delta = value - mean_;
  const double step = delta / n;
  const double term = delta * step * before;
  mean_ += step;
  cubes_ += term * step * (n - 2) - 3 * step * squares_;
  squares_ += term;
  ++count_;
}

void Moments::merge(const Moments& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  const auto a = static_cast<double>(count_);
  const auto b = static_cast<double>(other.count_);
  const double n = a + b;
  const double delta = other.mean_ - mean_;
  cubes_ += other.cubes_ + delta * delta * delta * a * b * (a - b) / (n * n) +
            3 * delta * (a * other.squares_ - b * squares_) / n;
  squares_ += other.squares_ + delta * delta * a * b / n;
  mean_ += delta * b / n;
  count_ += other.count_;
}

double Moments::variance() const {
  return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1);
}
double Moments::deviation() const {
  return std::sqrt(variance());
}
double Moments::standard_error() const {
  return count_ < 1 ? 0 : deviation() / std::sqrt(static_cast<double>(count_));
}

double Moments::skewness() const {
  if (count_ < 3 || squares_ <= 0) return 0;
  const auto n = static_cast<double>(count_);
  return (cubes_ / n) / std::pow(squares_ / n, 1.5);
}

Moments moments(std::span<const double> values) {
  Moments result;
  for (double value : values) result.add(value);
  return result;
}

Result<std::vector<double>> quantiles(std::span<const double> values, std::span<const double> probabilities) {
  if (values.empty())
    return Error{ErrorKind::bad_input, "no quantile of an empty set of values", "", "give at least one value"};
  std::vector<double> sorted(values.begin(), values.end());
  if (std::any_of(sorted.begin(), sorted.end(), [](double v) { return std::isnan(v); }))
    return Error{ErrorKind::breakdown, "no quantile of values of which one is not a number", "",
                 "look where it came from"};
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> result;
  for (double p : probabilities) {
    if (!(p >= 0 && p <= 1))
      return Error{ErrorKind::bad_input, "a quantile's probability must lie between 0 and 1", std::to_string(p), ""};
    const double position = p * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(position);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = position - static_cast<double>(below);
    result.push_back(part == 0 ? sorted[below] : sorted[below] + part * (sorted[above] - sorted[below]));
  }
  return result;
}

Result<double> quantile(std::span<const double> values, double probability) {
  const std::vector<double> found = TRY(quantiles(values, {&probability, 1}));
  return found.front();
}

}  // namespace tqm::stats
