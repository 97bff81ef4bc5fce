#include "matter/potential/neighbours/neighbours.hpp"

#include <algorithm>
#include <cmath>

namespace tqm::matter {
namespace {

// Bins over the parallelepiped of the cell (over the atoms' extent along what is not periodic).
struct Bins {
  Mat3 cell, to_fraction;
  std::array<bool, 3> periodic;
  std::array<double, 3> low, extent;         // in fractions; 0 and 1 along periodic directions
  std::array<int64_t, 3> count, reach;       // bins, and how many of them to each side may hold neighbours
  std::vector<std::array<int32_t, 3>> wrap;  // of each atom: whole cells taken off to bring it inside
  std::vector<Vec3> inside;                  // positions brought inside
  std::vector<int64_t> bin;                  // of each atom
  std::vector<size_t> first;                 // of each bin, into members
  std::vector<int32_t> members;              // atoms by bin, then by index
};

int64_t bin_of(double fraction, double low, double extent, int64_t count) {
  const auto bin = static_cast<int64_t>(std::floor((fraction - low) / extent * static_cast<double>(count)));
  return std::clamp<int64_t>(bin, 0, count - 1);
}

Bins sort_into_bins(const Structure& structure, double reach) {
  const size_t atoms = structure.size();
  Bins bins;
  bins.periodic = structure.periodic;
  const bool any = bins.periodic[0] || bins.periodic[1] || bins.periodic[2];
  bins.cell = any ? structure.cell : Mat3::identity();
  bins.to_fraction = inverse(bins.cell);
  bins.wrap.resize(atoms);
  bins.inside.resize(atoms);
  std::vector<Vec3> fractions(atoms);
  std::array<double, 3> high{};
  bins.low = {};
  for (size_t i = 0; i < atoms; ++i) {
    Vec3 fraction = structure.positions[i] * bins.to_fraction;
    Vec3 taken;
    for (size_t d = 0; d < 3; ++d) {
      if (bins.periodic[d]) {
        taken[d] = std::floor(fraction[d]);
        bins.wrap[i][d] = static_cast<int32_t>(taken[d]);
        fraction[d] -= taken[d];
      } else {
        bins.low[d] = i == 0 ? fraction[d] : std::min(bins.low[d], fraction[d]);
        high[d] = i == 0 ? fraction[d] : std::max(high[d], fraction[d]);
      }
    }
    fractions[i] = fraction;
    bins.inside[i] = structure.positions[i] - taken * bins.cell;
  }
  if (atoms == 0) {  // of a structure without a cell, perhaps
    bins.count = {1, 1, 1};
    bins.reach = {0, 0, 0};
    bins.first.assign(2, 0);
    return bins;
  }
  const std::array<double, 3> widths = cell_widths(bins.cell);
  // Bins of half the reach look at 3.7 times the volume of the sphere, of the whole reach at 6.4 times; there are never
  // many more bins than atoms, however thin the structure.
  double most = std::max(1.0, std::cbrt(static_cast<double>(atoms)) * 2);
  for (size_t d = 0; d < 3; ++d) {
    bins.extent[d] = bins.periodic[d] ? 1 : std::max(high[d] - bins.low[d], 1e-9);
    const double length = widths[d] * bins.extent[d];
    bins.count[d] = static_cast<int64_t>(std::clamp(std::floor(2 * length / reach), 1.0, most));
    bins.reach[d] = static_cast<int64_t>(std::ceil(reach * static_cast<double>(bins.count[d]) / length * (1 + 1e-12)));
    if (!bins.periodic[d]) bins.reach[d] = std::min(bins.reach[d], bins.count[d] - 1);
  }
  bins.bin.resize(atoms);
  bins.first.assign(static_cast<size_t>(bins.count[0] * bins.count[1] * bins.count[2]) + 1, 0);
  for (size_t i = 0; i < atoms; ++i) {
    int64_t bin = 0;
    for (size_t d = 0; d < 3; ++d) {
      bin = bin * bins.count[d] + bin_of(fractions[i][d], bins.low[d], bins.extent[d], bins.count[d]);
    }
    bins.bin[i] = bin;
    ++bins.first[static_cast<size_t>(bin) + 1];
  }
  for (size_t b = 1; b < bins.first.size(); ++b) bins.first[b] += bins.first[b - 1];
  bins.members.resize(atoms);
  std::vector<size_t> next(bins.first.begin(), bins.first.end() - 1);
  for (size_t i = 0; i < atoms; ++i) bins.members[next[static_cast<size_t>(bins.bin[i])]++] = static_cast<int32_t>(i);
  return bins;
}

// Appends the neighbours of atom i within reach.
void search(const Bins& bins, size_t i, double reach, std::vector<Neighbour>& found) {
  const double reach_squared = reach * reach;
  const int64_t bin = bins.bin[i];
  const std::array<int64_t, 3> own = {bin / (bins.count[1] * bins.count[2]), bin / bins.count[2] % bins.count[1],
                                      bin % bins.count[2]};
  // Along each direction: the bin that is meant and the cell it stands in.
  const auto place = [&](size_t d, int64_t at, int64_t& image) {
    if (!bins.periodic[d]) return image = 0, at >= 0 && at < bins.count[d] ? at : -1;
    image = at >= 0 ? at / bins.count[d] : -((bins.count[d] - 1 - at) / bins.count[d]);
    return at - image * bins.count[d];
  };
  std::array<int64_t, 3> image{};
  for (int64_t x = own[0] - bins.reach[0]; x <= own[0] + bins.reach[0]; ++x) {
    const int64_t bx = place(0, x, image[0]);
    if (bx < 0) continue;
    for (int64_t y = own[1] - bins.reach[1]; y <= own[1] + bins.reach[1]; ++y) {
      const int64_t by = place(1, y, image[1]);
      if (by < 0) continue;
      for (int64_t z = own[2] - bins.reach[2]; z <= own[2] + bins.reach[2]; ++z) {
        const int64_t bz = place(2, z, image[2]);
        if (bz < 0) continue;
        const auto at = static_cast<size_t>((bx * bins.count[1] + by) * bins.count[2] + bz);
        if (bins.first[at] == bins.first[at + 1]) continue;
        const Vec3 offset =
            Vec3{static_cast<double>(image[0]), static_cast<double>(image[1]), static_cast<double>(image[2])} *
                bins.cell -
            bins.inside[i];
        const bool same_cell = image[0] == 0 && image[1] == 0 && image[2] == 0;
        for (size_t m = bins.first[at]; m < bins.first[at + 1]; ++m) {
          const int32_t j = bins.members[m];
          const Vec3 r = bins.inside[static_cast<size_t>(j)] + offset;
          if (dot(r, r) > reach_squared) continue;
          if (same_cell && static_cast<size_t>(j) == i) continue;
          Neighbour neighbour{j, {}};
          for (size_t d = 0; d < 3; ++d) {
            neighbour.image[d] =
                static_cast<int32_t>(image[d]) + bins.wrap[i][d] - bins.wrap[static_cast<size_t>(j)][d];
          }
          found.push_back(neighbour);
        }
      }
    }
  }
}

}  // namespace

bool NeighbourList::update(const Structure& structure, Team& team) {
  if (valid(structure)) return false;
  rebuild(structure, team);
  return true;
}

// A pair now at r stood at (r − u_j + u_i) · s, where s undoes the strain and u are the displacements beyond it. So a
// pair inside the cutoff is in the list while (cutoff + 2 max|u|) |s| ≤ cutoff + skin.
bool NeighbourList::valid(const Structure& structure) const {
  if (builds_ == 0 || structure.numbers != numbers_ || structure.periodic != periodic_) return false;
  const bool strained = !(structure.cell == cell_);
  const bool any = periodic_[0] || periodic_[1] || periodic_[2];
  double stretch = 1;
  Mat3 strain = Mat3::identity();
  if (strained && any) {
    strain = inverse(cell_) * structure.cell;
    const Mat3 undo = inverse(structure.cell) * cell_;
    double squares = 0;
    for (size_t a = 0; a < 3; ++a) {
      const Vec3 row = undo[a] - Mat3::identity()[a];
      squares += dot(row, row);
    }
    stretch += std::sqrt(squares);
  }
  double most = 0;
  for (size_t i = 0; i < positions_.size(); ++i) {
    const Vec3 moved = structure.positions[i] - (strained && any ? positions_[i] * strain : positions_[i]);
    most = std::max(most, dot(moved, moved));
  }
  return (cutoff_ + 2 * std::sqrt(most)) * stretch <= cutoff_ + skin_;
}

void NeighbourList::rebuild(const Structure& structure, Team& team) {
  const size_t atoms = structure.size();
  const double reach = cutoff_ + skin_;
  const Bins bins = sort_into_bins(structure, reach);
  first_.assign(atoms + 1, 0);
  std::vector<std::vector<Neighbour>> found(static_cast<size_t>(team.size()));
  team.run([&](int member) {
    const auto [begin, end] = team.share(member, static_cast<int64_t>(atoms));
    std::vector<Neighbour>& mine = found[static_cast<size_t>(member)];
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const size_t before = mine.size();
      search(bins, i, reach, mine);
      std::stable_sort(
          mine.begin() + static_cast<std::ptrdiff_t>(before), mine.end(), [&](const Neighbour& a, const Neighbour& b) {
            return structure.numbers[static_cast<size_t>(a.atom)] < structure.numbers[static_cast<size_t>(b.atom)];
          });
      first_[i + 1] = mine.size() - before;
    }
  });
  for (size_t i = 0; i < atoms; ++i) first_[i + 1] += first_[i];
  list_.resize(first_[atoms]);
  auto at = list_.begin();
  for (const auto& mine : found) at = std::copy(mine.begin(), mine.end(), at);
  cell_ = structure.cell;
  periodic_ = structure.periodic;
  positions_ = structure.positions;
  numbers_ = structure.numbers;
  ++builds_;
}

}  // namespace tqm::matter
