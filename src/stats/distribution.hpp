// Normal, Student's t and binomial distributions, accurate far into the tails: the boundaries of a sequential test ask
// for probabilities of 1e-20. Tested against values of an independent library to 1e-10 relative.
#pragma once

#include <cstdint>

namespace tqm::stats {

double normal_density(double z);
double normal_cdf(double z);
double normal_tail(double z);  // P(Z > z), without cancellation
// z with P(Z < z) = p, 0 < p < 1. Rational start by M. J. Wichura, Algorithm AS 241, Applied Statistics 37 (1988), then
// one Newton step on the logarithm of the tail.
double normal_quantile(double p);
// z with P(Z > z) = p: keeps its accuracy where 1 - p would round to 1.
double normal_tail_quantile(double p);

// Regularised incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1, by its continued fraction (Abramowitz and
// Stegun, 26.5.8), evaluated by Lentz's method.
double incomplete_beta(double a, double b, double x);

double t_cdf(double t, double degrees);
double t_tail(double t, double degrees);           // P(T > t)
double t_tail_quantile(double p, double degrees);  // t with P(T > t) = p, 0 < p < 1
double t_quantile(double p, double degrees);       // t with P(T < t) = p

// P(X <= k) for X binomial(n, p).
double binomial_cdf(int64_t k, int64_t n, double p);
double binomial_probability(int64_t k, int64_t n, double p);

}  // namespace tqm::stats
