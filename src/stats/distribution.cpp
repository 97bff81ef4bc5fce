#include "stats/distribution.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/result.hpp"

namespace tqm::stats {
namespace {

// log Γ that leaves no global sign behind, as std::lgamma does.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// Wichura's AS 241 for the upper tail: z with P(Z > z) = p.
double rational_tail_quantile(double p) {
  const double q = 0.5 - p;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    const double numerator =
        (((((((2509.0809287301226727 * r + 33430.575583588128105) * r + 67265.770927008700853) * r +
             45921.953931549871457) *
                r +
            13731.693765509461125) *
               r +
           1971.5909503065514427) *
              r +
          133.14166789178437745) *
             r +
         3.387132872796366608);
    const double denominator =
        (((((((5226.495278852545925 * r + 28729.085735721942674) * r + 39307.89580009271061) * r +
             21213.794301586595867) *
                r +
            5394.1960214247511077) *
               r +
           687.1870074920579083) *
              r +
          42.313330701600911252) *
             r +
         1.0);
    return q * numerator / denominator;
  }
  // log1p keeps the lower tail exact where 1 - p rounds.
  double r = std::sqrt(q > 0 ? -std::log(p) : -std::log1p(-p));
  double z = 0;
  if (r <= 5) {
    r -= 1.6;
    z = (((((((7.7454501427834140764e-4 * r + 0.0227238449892691845833) * r + 0.24178072517745061177) * r +
             1.27045825245236838258) *
                r +
            3.64784832476320460504) *
               r +
           5.7694972214606914055) *
              r +
          4.6303378461565452959) *
             r +
         1.42343711074968357734) /
        (((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r + 0.0151986665636164571966) * r +
             0.14810397642748007459) *
                r +
            0.68976733498510000455) *
               r +
           1.6763848301838038494) *
              r +
          2.05319162663775882187) *
             r +
         1.0);
  } else {
    r -= 5;
    z = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 0.0012426609473880784386) * r +
             0.026532189526576123093) *
                r +
            0.29656057182850489123) *
               r +
           1.7848265399172913358) *
              r +
          5.4637849111641143699) *
             r +
         6.6579046435011037772) /
        (((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r +
             7.868691311456132591e-4) *
                r +
            0.0148753612908506148525) *
               r +
           0.13692988092273580531) *
              r +
          0.59983220655588793769) *
             r +
         1.0);
  }
  return q > 0 ? z : -z;
}

// Lentz's evaluation of the continued fraction; converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  if (std::abs(d) < tiny) d = tiny;
  d = 1 / d;
  double result = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 + even * d;
    if (std::abs(d) < tiny) d = tiny;
    c = 1 + even / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + odd * d;
    if (std::abs(d) < tiny) d = tiny;
    c = 1 + odd / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double step = d * c;
    result *= step;
    if (std::abs(step - 1) < 1e-16) break;
  }
  return result;
}

// I_x(a, b) where y = 1 - x is known without rounding.
double incomplete_beta_pair(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log(y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

}  // namespace

double normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
}
double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}
double normal_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double normal_tail_quantile(double p) {
  ASSERT(p > 0 && p < 1);
  const double z = rational_tail_quantile(p);
  const bool upper = z > 0;
  const double tail = upper ? normal_tail(z) : normal_cdf(z);
  const double density = normal_density(z);
  if (tail <= 0 || density <= 0) return z;
  const double wanted = upper ? std::log(p) : std::log1p(-p);
  const double step = (std::log(tail) - wanted) * tail / density;
  return upper ? z + step : z - step;
}

double normal_quantile(double p) {
  return -normal_tail_quantile(p);
}

double incomplete_beta(double a, double b, double x) {
  ASSERT(a > 0 && b > 0 && x >= 0 && x <= 1);
  return incomplete_beta_pair(a, b, x, 1 - x);
}

double t_tail(double t, double degrees) {
  ASSERT(degrees > 0);
  if (t < 0) return 1 - t_tail(-t, degrees);
  const double square = t * t;
  if (std::isinf(square)) return 0;
  return 0.5 * incomplete_beta_pair(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square));
}

double t_cdf(double t, double degrees) {
  return t_tail(-t, degrees);
}

double t_tail_quantile(double p, double degrees) {
  ASSERT(p > 0 && p < 1 && degrees > 0);
  if (p == 0.5) return 0;
  if (p > 0.5) return -t_tail_quantile(1 - p, degrees);
  // The logarithm of the tail falls steadily: bracket it, then Newton steps kept inside the bracket.
  double low = 0;
  double high = 1;
  while (t_tail(high, degrees) > p) {
    low = high;
    high *= 2;
  }
  const double log_constant =
      log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2) - 0.5 * std::log(degrees * std::numbers::pi);
  double t = 0.5 * (low + high);
  for (int i = 0; i < 200; ++i) {
    const double tail = t_tail(t, degrees);
    (tail > p ? low : high) = t;
    const double density = std::exp(log_constant - (degrees + 1) / 2 * std::log1p(t * t / degrees));
    double next = t + (std::log(tail) - std::log(p)) * tail / density;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= 4 * std::numeric_limits<double>::epsilon() * t) return next;
    t = next;
  }
  return t;
}

double t_quantile(double p, double degrees) {
  return -t_tail_quantile(p, degrees);
}

double binomial_cdf(int64_t k, int64_t n, double p) {
  ASSERT(n >= 0 && p >= 0 && p <= 1);
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incomplete_beta_pair(static_cast<double>(n - k), static_cast<double>(k + 1), 1 - p, p);
}

double binomial_probability(int64_t k, int64_t n, double p) {
  ASSERT(n >= 0 && p >= 0 && p <= 1);
  if (k < 0 || k > n) return 0;
  if (p <= 0) return k == 0 ? 1 : 0;
  if (p >= 1) return k == n ? 1 : 0;
  const auto successes = static_cast<double>(k);
  const auto trials = static_cast<double>(n);
  return std::exp(log_gamma(trials + 1) - log_gamma(successes + 1) - log_gamma(trials - successes + 1) +
                  successes * std::log(p) + (trials - successes) * std::log1p(-p));
}

}  // namespace tqm::stats
