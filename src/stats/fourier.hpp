// A fast Fourier transform, for correlation functions of long series.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace tqm::stats {

// In place, Σ x(j) exp(-2πi jk/n), or with +2πi and without a factor 1/n. The length is a power of two.
void fourier(std::span<std::complex<double>> values, bool inverse);

// Σ over j of x(j) x(j + m), for m = 0 … n - 1: O(n log n), without wrapping round.
std::vector<double> autocorrelation(std::span<const double> values);

}  // namespace tqm::stats
