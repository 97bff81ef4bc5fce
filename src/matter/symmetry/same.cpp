#include "matter/symmetry/same.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "matter/structure/pairs.hpp"

namespace tqm::matter {
namespace {

constexpr int kReach =
    2;  // a reduced cell's vectors are short: others of the same lengths are at most so many steps away

bool near_length(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(a, b);
}

// Lattice vectors of cell whose length is near each of wanted's.
std::array<std::vector<Vec3>, 3> candidates(const Mat3& cell, const Mat3& wanted, double tolerance) {
  std::array<std::vector<Vec3>, 3> found;
  for (int i = -kReach; i <= kReach; ++i)
    for (int j = -kReach; j <= kReach; ++j)
      for (int k = -kReach; k <= kReach; ++k) {
        const Vec3 vector = Vec3{double(i), double(j), double(k)} * cell;
        for (size_t axis = 0; axis < 3; ++axis)
          if (near_length(norm(vector), norm(wanted[axis]), tolerance)) found[axis].push_back(vector);
      }
  return found;
}

bool near_angle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, double tolerance) {
  const double one = dot(a, b) / (norm(a) * norm(b)), other = dot(c, d) / (norm(c) * norm(d));
  return std::abs(one - other) <= tolerance;
}

// Does each atom of a lie on one of b of its species, after a shift in fractional coordinates?
bool all_meet(const std::vector<Vec3>& a, const std::vector<Vec3>& b, const std::vector<int>& na,
              const std::vector<int>& nb, const Vec3& shift, const Mat3& cell, double tolerance) {
  std::vector<char> taken(b.size(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    bool met = false;
    for (size_t j = 0; j < b.size() && !met; ++j) {
      if (taken[j] || na[i] != nb[j]) continue;
      Vec3 d = a[i] + shift - b[j];
      for (size_t k = 0; k < 3; ++k) d[k] -= std::round(d[k]);
      if (norm(d * cell) > tolerance) continue;
      taken[j] = 1;
      met = true;
    }
    if (!met) return false;
  }
  return true;
}

bool meet_in_basis(const Structure& a, const Structure& b, const Mat3& basis, int rarest, double tolerance) {
  const std::vector<Vec3> fa = fractional_positions(a);
  Structure turned = b;
  turned.cell = basis;
  const std::vector<Vec3> fb = fractional_positions(turned);
  const size_t first = static_cast<size_t>(std::find(a.numbers.begin(), a.numbers.end(), rarest) - a.numbers.begin());
  for (size_t j = 0; j < b.size(); ++j)
    if (b.numbers[j] == rarest && all_meet(fa, fb, a.numbers, b.numbers, fb[j] - fa[first], a.cell, tolerance))
      return true;
  return false;
}

}  // namespace

std::array<double, 4> fingerprint(const Structure& s) {
  constexpr double kCutoff = 6;
  std::array<double, 4> sums = {};
  for_each_pair(s, kCutoff, [&](const Pair& pair) {
    const double x = 1 - pair.distance * pair.distance / (kCutoff * kCutoff);
    const double zi = s.numbers[pair.i], zj = s.numbers[pair.j];
    sums[0] += x * x;
    sums[1] += x * x * x * x * x * x;
    sums[2] += x * x * std::sqrt(zi * zj);
    sums[3] += x * x * (zi + zj);
  });
  for (double& sum : sums) sum /= static_cast<double>(std::max<size_t>(s.size(), 1));
  return sums;
}

bool same_crystal(const Structure& a, const Structure& b, const SameTolerance& tolerance) {
  if (a.size() != b.size() || a.size() == 0) return false;
  const std::map<int, double> counts = composition(a);
  if (counts != composition(b) || !near_length(volume(a), volume(b), 3 * tolerance.lattice)) return false;
  const int rarest = std::min_element(counts.begin(), counts.end(), [](const auto& x, const auto& y) {
                       return x.second < y.second;
                     })->first;
  const auto vectors = candidates(b.cell, a.cell, tolerance.lattice);
  for (const Vec3& u : vectors[0])
    for (const Vec3& v : vectors[1]) {
      if (!near_angle(u, v, a.cell[0], a.cell[1], tolerance.lattice)) continue;
      for (const Vec3& w : vectors[2]) {
        if (!near_angle(u, w, a.cell[0], a.cell[2], tolerance.lattice) ||
            !near_angle(v, w, a.cell[1], a.cell[2], tolerance.lattice))
          continue;
        const Mat3 basis{{u, v, w}};
        if (!near_length(std::abs(determinant(basis)), volume(a), 3 * tolerance.lattice)) continue;
        if (meet_in_basis(a, b, basis, rarest, tolerance.position)) return true;
      }
    }
  return false;
}

}  // namespace tqm::matter
