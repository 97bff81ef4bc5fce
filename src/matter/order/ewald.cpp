#include "matter/order/ewald.hpp"

#include <cmath>
#include <numbers>

#include "matter/structure/pairs.hpp"

namespace tqm::matter {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kReach = 4.9;        // erfc(4.9) and exp(−4.9²) are below 5e-11
constexpr double kRealCutoff = 13.0;  // Å; the reciprocal sum, which costs more, is short with it

void add_real(std::vector<double>& matrix, const Structure& s, double alpha) {
  const size_t n = s.size();
  for_each_pair(s, kRealCutoff, [&](const Pair& pair) {
    const double term = std::erfc(alpha * pair.distance) / pair.distance;
    matrix[pair.i * n + pair.j] += term;
    if (pair.i != pair.j)
      matrix[pair.j * n + pair.i] += term;
    else
      matrix[pair.i * n + pair.i] += term;  // the opposite image
  });
}

void add_reciprocal(std::vector<double>& matrix, const Structure& s, double alpha) {
  const size_t n = s.size();
  const Mat3 reciprocal = transposed(inverse(s.cell)) * (2 * kPi);
  const double space = volume(s), cutoff = 2 * alpha * kReach;
  std::array<int, 3> most;
  for (size_t k = 0; k < 3; ++k) most[k] = static_cast<int>(cutoff * norm(s.cell[k]) / (2 * kPi)) + 1;
  std::vector<double> c(n), sn(n);
  for (int a = 0; a <= most[0]; ++a)
    for (int b = a == 0 ? 0 : -most[1]; b <= most[1]; ++b)
      for (int d = a == 0 && b == 0 ? 1 : -most[2]; d <= most[2]; ++d) {
        const Vec3 g = Vec3{double(a), double(b), double(d)} * reciprocal;
        const double square = dot(g, g);
        if (square > cutoff * cutoff) continue;
        const double weight = 8 * kPi / space * std::exp(-square / (4 * alpha * alpha)) / square;  // g and −g
        for (size_t i = 0; i < n; ++i) {
          const double phase = dot(g, s.positions[i]);
          c[i] = std::cos(phase);
          sn[i] = std::sin(phase);
        }
        for (size_t i = 0; i < n; ++i) {
          const double ci = weight * c[i], si = weight * sn[i];
          double* row = matrix.data() + i * n;
          for (size_t j = 0; j <= i; ++j) row[j] += ci * c[j] + si * sn[j];
        }
      }
}

}  // namespace

EwaldMatrix::EwaldMatrix(const Mat3& cell, const std::vector<Vec3>& positions) : size_(positions.size()) {
  Structure s;
  s.cell = cell;
  s.positions = positions;
  s.numbers.assign(size_, 1);
  const double alpha = kReach / kRealCutoff;
  std::vector<double> reciprocal(size_ * size_, 0);
  add_reciprocal(reciprocal, s, alpha);
  matrix_.assign(size_ * size_, 0);
  add_real(matrix_, s, alpha);
  const double background = kPi / (alpha * alpha * volume(s));
  for (size_t i = 0; i < size_; ++i)
    for (size_t j = 0; j < size_; ++j) {
      double& m = matrix_[i * size_ + j];
      m += (j <= i ? reciprocal[i * size_ + j] : reciprocal[j * size_ + i]) - background;
      if (i == j) m -= 2 * alpha / std::sqrt(kPi);
      m *= kCoulomb;
    }
}

double EwaldMatrix::energy(const std::vector<double>& charges) const {
  const std::vector<double> potential = potentials(charges);
  double sum = 0;
  for (size_t i = 0; i < size_; ++i) sum += charges[i] * potential[i];
  return sum / 2;
}

std::vector<double> EwaldMatrix::potentials(const std::vector<double>& charges) const {
  std::vector<double> sums(size_, 0);
  for (size_t i = 0; i < size_; ++i)
    for (size_t j = 0; j < size_; ++j) sums[i] += matrix_[i * size_ + j] * charges[j];
  return sums;
}

}  // namespace tqm::matter
