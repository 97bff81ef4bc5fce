#include "matter/structure/pairs.hpp"

#include <algorithm>
#include <cmath>

namespace tqm::matter {
namespace {

constexpr double kMostBins = 64;  // along one direction

// Atoms sorted into bins of the cell; n bins along each vector.
struct Bins {
  std::array<int, 3> n = {1, 1, 1}, reach = {1, 1, 1};
  std::vector<std::vector<size_t>> atoms;
  std::vector<std::array<int, 3>> of, image;  // the bin of each atom, and in which image of the cell it lies
  size_t index(const std::array<int, 3>& bin) const {
    return static_cast<size_t>((bin[0] * n[1] + bin[1]) * n[2] + bin[2]);
  }
};

// A cell for what has none: a box around the atoms.
Mat3 cell_of(const Structure& s) {
  if (volume(s) > 0) return s.cell;
  Vec3 low, high;
  for (size_t i = 0; i < s.size(); ++i)
    for (size_t k = 0; k < 3; ++k) {
      low[k] = i ? std::min(low[k], s.positions[i][k]) : s.positions[i][k];
      high[k] = i ? std::max(high[k], s.positions[i][k]) : s.positions[i][k];
    }
  Mat3 cell;
  for (size_t k = 0; k < 3; ++k) cell[k][k] = high[k] - low[k] + 1;
  return cell;
}

Bins sorted(const Structure& s, const Mat3& cell, double cutoff) {
  Bins bins;
  const std::array<double, 3> widths = cell_widths(cell);
  for (size_t k = 0; k < 3; ++k) {
    bins.n[k] = static_cast<int>(std::clamp(std::floor(widths[k] / cutoff), 1.0, kMostBins));
    bins.reach[k] = static_cast<int>(std::ceil(cutoff / (widths[k] / bins.n[k])));
  }
  bins.atoms.resize(static_cast<size_t>(bins.n[0]) * static_cast<size_t>(bins.n[1]) * static_cast<size_t>(bins.n[2]));
  const Mat3 to_fractional = inverse(cell);
  for (size_t i = 0; i < s.size(); ++i) {
    const Vec3 f = s.positions[i] * to_fractional;
    std::array<int, 3> bin, image;
    for (size_t k = 0; k < 3; ++k) {
      // What is not periodic is not wrapped: it stands in the outermost bin, and images are counted for the distance
      // only.
      const double base = std::floor(f[k]);
      image[k] = static_cast<int>(base);
      bin[k] = std::clamp(static_cast<int>((f[k] - base) * bins.n[k]), 0, bins.n[k] - 1);
    }
    bins.of.push_back(bin);
    bins.image.push_back(image);
    bins.atoms[bins.index(bin)].push_back(i);
  }
  return bins;
}

}  // namespace

void for_each_pair(const Structure& s, double cutoff, const std::function<void(const Pair&)>& call) {
  if (s.size() == 0) return;
  ASSERT(cutoff > 0);
  const Mat3 cell = cell_of(s);
  const Bins bins = sorted(s, cell, cutoff);
  for (size_t i = 0; i < s.size(); ++i) {
    std::array<int, 3> step;
    for (step[0] = -bins.reach[0]; step[0] <= bins.reach[0]; ++step[0])
      for (step[1] = -bins.reach[1]; step[1] <= bins.reach[1]; ++step[1])
        for (step[2] = -bins.reach[2]; step[2] <= bins.reach[2]; ++step[2]) {
          std::array<int, 3> bin, turns;
          for (size_t k = 0; k < 3; ++k) {
            const int at = bins.of[i][k] + step[k];
            turns[k] = at >= 0 ? at / bins.n[k] : -((-at + bins.n[k] - 1) / bins.n[k]);
            bin[k] = at - turns[k] * bins.n[k];
          }
          for (size_t j : bins.atoms[bins.index(bin)]) {
            if (j < i) continue;
            // Whole cells between j as it stands and the image of j that is meant.
            std::array<int, 3> cells;
            bool inside = true;
            for (size_t k = 0; k < 3; ++k) {
              cells[k] = turns[k] + bins.image[i][k] - bins.image[j][k];
              inside = inside && (s.periodic[k] || cells[k] == 0);
            }
            if (!inside) continue;
            if (i == j) {  // of an atom and its images, one of each two that are opposite
              const std::array<int, 3> zero = {0, 0, 0};
              if (cells <= zero) continue;
            }
            const Vec3 step_vector =
                s.positions[j] - s.positions[i] + Vec3{double(cells[0]), double(cells[1]), double(cells[2])} * cell;
            const double distance = norm(step_vector);
            if (distance < cutoff) call({i, j, distance, step_vector});
          }
        }
  }
}

}  // namespace tqm::matter
