#include "matter/analyze/displacement.hpp"

#include <algorithm>
#include <cmath>

#include "stats/fourier.hpp"

namespace tqm::matter {

std::vector<double> mean_square_displacement(const Coordinates& coordinates) {
  if (coordinates.empty()) return {};
  const size_t n = coordinates.front().size();
  std::vector<double> result(n);
  std::vector<double> x(n);
  for (const std::vector<double>& series : coordinates) {
    // Relative to the first point: squares of large coordinates would cost digits.
    for (size_t i = 0; i < n; ++i) x[i] = series[i] - series[0];
    const std::vector<double> products = stats::autocorrelation(x);
    double squares = 0;
    for (const double value : x) squares += 2 * value * value;
    for (size_t m = 1; m < n; ++m) {
      squares -= x[m - 1] * x[m - 1] + x[n - m] * x[n - m];
      result[m] += (squares - 2 * products[m]) / static_cast<double>(n - m);
    }
  }
  const double atoms = static_cast<double>(coordinates.size()) / 3;
  for (double& value : result) value = std::max(0.0, value / atoms);
  return result;
}

Coordinates collective(const Coordinates& coordinates) {
  if (coordinates.empty()) return {};
  Coordinates sums(3, std::vector<double>(coordinates.front().size()));
  const double scale = 1 / std::sqrt(static_cast<double>(coordinates.size()) / 3);
  for (size_t i = 0; i < coordinates.size(); ++i)
    for (size_t t = 0; t < sums[i % 3].size(); ++t) sums[i % 3][t] += scale * coordinates[i][t];
  return sums;
}

Jumps count_jumps(const Coordinates& coordinates, double reach, size_t settle) {
  Jumps jumps;
  double squares = 0;
  for (size_t atom = 0; atom + 2 < coordinates.size(); atom += 3) {
    const auto at = [&](size_t t) {
      return Vec3{coordinates[atom][t], coordinates[atom + 1][t], coordinates[atom + 2][t]};
    };
    const size_t points = coordinates[atom].size();
    Vec3 sum = at(0), before{};
    double members = 1;
    bool has_before = false;
    for (size_t t = 1; t < points; ++t) {
      const Vec3 place = sum * (1 / members);
      bool gone = t + settle < points;
      for (size_t later = 0; gone && later <= settle; ++later) gone = norm(at(t + later) - place) > reach;
      if (!gone) {
        if (norm(at(t) - place) <= reach) {
          sum += at(t);
          members += 1;
        }
        continue;
      }
      Vec3 next{};
      for (size_t later = 0; later <= settle; ++later) next += at(t + later) * (1 / static_cast<double>(settle + 1));
      ++jumps.count;
      squares += dot(next - place, next - place);
      if (has_before && norm(next - before) < reach / 2) ++jumps.back;
      before = place;
      has_before = true;
      sum = at(t);
      members = 1;
    }
  }
  if (jumps.count > 0) jumps.length = std::sqrt(squares / static_cast<double>(jumps.count));
  return jumps;
}

std::vector<double> green_kubo(std::span<const Vec3> current, double step, size_t most) {
  if (current.empty()) return {};
  const size_t n = current.size();
  most = std::min(most, n - 1);
  std::vector<double> correlation(most + 1);
  std::vector<double> component(n);
  for (size_t axis = 0; axis < 3; ++axis) {
    for (size_t i = 0; i < n; ++i) component[i] = current[i][axis];
    const std::vector<double> products = stats::autocorrelation(component);
    for (size_t m = 0; m <= most; ++m) correlation[m] += products[m] / static_cast<double>(n - m);
  }
  std::vector<double> integral(most + 1);
  for (size_t m = 1; m <= most; ++m)
    integral[m] = integral[m - 1] + step * (correlation[m - 1] + correlation[m]) / 2 / 3;
  return integral;
}

double log_slope(std::span<const double> msd, double offset, size_t from, size_t to) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  const size_t stride = std::max<size_t>(1, (to - std::min(from, to)) / 50);
  for (size_t m = std::max<size_t>(from, 1); m <= to && m < msd.size(); m += stride) {
    if (!(msd[m] > offset)) continue;
    const double x = std::log(static_cast<double>(m)), y = std::log(msd[m] - offset);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double spread = n * sxx - sx * sx;
  return n < 3 || spread <= 0 ? 0 : (n * sxy - sx * sy) / spread;
}

}  // namespace tqm::matter
