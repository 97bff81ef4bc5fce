// The gamma distribution: how many events a count stands for.
#pragma once

namespace tqm::stats {

// P(X <= x), X gamma with this shape and scale 1; shape > 0. By its series below shape + 1, by its continued fraction
// above (Abramowitz and Stegun, 6.5.29 and 6.5.31).
double gamma_cdf(double shape, double x);
// x with P(X < x) = p, 0 < p < 1. The bounds of a Poisson count n at confidence c (F. Garwood, Biometrika 28 (1936)):
// gamma_quantile(n, (1 - c) / 2) and gamma_quantile(n + 1, (1 + c) / 2).
double gamma_quantile(double shape, double p);

}  // namespace tqm::stats
