#include "stats/fourier.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/result.hpp"

namespace tqm::stats {

void fourier(std::span<std::complex<double>> values, bool inverse) {
  const size_t n = values.size();
  ASSERT(std::has_single_bit(n));
  for (size_t i = 1, j = 0; i < n; ++i) {  // bits reversed
    size_t bit = n / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  std::vector<std::complex<double>> turns(n / 2);
  for (size_t i = 0; i < n / 2; ++i) {
    const double angle = (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    turns[i] = {std::cos(angle), std::sin(angle)};
  }
  for (size_t length = 2; length <= n; length *= 2)
    for (size_t begin = 0; begin < n; begin += length)
      for (size_t i = 0; i < length / 2; ++i) {
        const std::complex<double> a = values[begin + i], t = turns[i * (n / length)],
                                   o = values[begin + i + length / 2];
        // Written out: operator* of complex numbers minds infinities, which costs more than the rest.
        const std::complex<double> b{o.real() * t.real() - o.imag() * t.imag(),
                                     o.real() * t.imag() + o.imag() * t.real()};
        values[begin + i] = a + b;
        values[begin + i + length / 2] = a - b;
      }
}

std::vector<double> autocorrelation(std::span<const double> values) {
  if (values.empty()) return {};
  const size_t padded = std::bit_ceil(2 * values.size());
  std::vector<std::complex<double>> work(padded);
  for (size_t i = 0; i < values.size(); ++i) work[i] = values[i];
  fourier(work, false);
  for (std::complex<double>& value : work) value = std::norm(value);
  fourier(work, true);
  std::vector<double> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) result[i] = work[i].real() / static_cast<double>(padded);
  return result;
}

}  // namespace tqm::stats
