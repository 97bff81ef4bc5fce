#include "stats/gamma.hpp"

#include <algorithm>
#include <cmath>

#include "base/result.hpp"
#include "stats/distribution.hpp"

namespace tqm::stats {
namespace {

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// P(X > x) for x > shape + 1, by Lentz's evaluation.
double tail_fraction(double shape, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - shape;
  double c = 1 / tiny;
  double d = 1 / b;
  double result = d;
  for (int i = 1; i < 10000; ++i) {
    const double a = -i * (i - shape);
    b += 2;
    d = a * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + a / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double step = d * c;
    result *= step;
    if (std::abs(step - 1) < 1e-15) break;
  }
  return result * std::exp(-x + shape * std::log(x) - log_gamma(shape));
}

}  // namespace

double gamma_cdf(double shape, double x) {
  ASSERT(shape > 0);
  if (x <= 0) return 0;
  if (x >= shape + 1) return 1 - tail_fraction(shape, x);
  double term = 1 / shape;
  double sum = term;
  for (int i = 1; i < 10000; ++i) {
    term *= x / (shape + i);
    sum += term;
    if (term < 1e-16 * sum) break;
  }
  return sum * std::exp(-x + shape * std::log(x) - log_gamma(shape));
}

double gamma_quantile(double shape, double p) {
  ASSERT(shape > 0 && p > 0 && p < 1);
  // In log x, where the lower tail of a small shape is a straight line; bracketed by Wilson and Hilferty's start.
  const double root = 1 - 1 / (9 * shape) + normal_quantile(p) / (3 * std::sqrt(shape));
  double low = std::log(std::max(shape * root * root * root, 1e-300));
  double high = low;
  while (gamma_cdf(shape, std::exp(low)) > p && low > -700) low -= 1;
  while (gamma_cdf(shape, std::exp(high)) < p) high += 1;
  for (int i = 0; i < 60 && high - low > 1e-13; ++i) {
    const double middle = (low + high) / 2;
    (gamma_cdf(shape, std::exp(middle)) < p ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

}  // namespace tqm::stats
