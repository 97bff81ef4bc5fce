// Who is near whom. Every periodic image within the cutoff counts, those of the atom itself too, so that a cell smaller
// than the cutoff is as good as a large one. Atoms are sorted into bins; the work grows with their number.
//
// The list looks a skin further than the cutoff and stays valid until atoms have moved so far that a pair may have come
// inside unseen (or the cell has been strained so much). Positions are taken as they are, never wrapped: an atom that
// somebody wraps into the cell has moved, and the list is built again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/team.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {

struct Neighbour {
  int32_t atom;
  int32_t image[3];  // the neighbour stands at position[atom] + image · cell
};

class NeighbourList {
 public:
  NeighbourList(double cutoff_angstrom, double skin_angstrom) : cutoff_(cutoff_angstrom), skin_(skin_angstrom) {}

  // Brings the list up to the structure; true where it was built anew.
  bool update(const Structure& structure, Team& team);
  void rebuild(const Structure& structure, Team& team);

  // Neighbours of atom i within cutoff + skin of where the atoms stood, sorted by atomic number, then by bin and index:
  // the order depends on nothing but the structure it was built from.
  std::span<const Neighbour> of(size_t i) const { return {list_.data() + first_[i], first_[i + 1] - first_[i]}; }
  size_t first(size_t i) const { return first_[i]; }  // number of the first pair of atom i
  size_t pairs() const { return list_.size(); }
  double cutoff() const { return cutoff_; }
  const std::vector<Vec3>& positions() const { return positions_; }  // at the last build
  int64_t builds() const { return builds_; }

 private:
  bool valid(const Structure& structure) const;
  double cutoff_, skin_;
  std::vector<size_t> first_;
  std::vector<Neighbour> list_;
  Mat3 cell_;
  std::array<bool, 3> periodic_ = {};
  std::vector<Vec3> positions_;
  std::vector<int> numbers_;
  int64_t builds_ = 0;
};

// From position a to the image of b.
inline Vec3 separation(const Structure& structure, size_t i, const Neighbour& neighbour) {
  const Vec3 image{static_cast<double>(neighbour.image[0]), static_cast<double>(neighbour.image[1]),
                   static_cast<double>(neighbour.image[2])};
  return structure.positions[static_cast<size_t>(neighbour.atom)] + image * structure.cell - structure.positions[i];
}

}  // namespace tqm::matter
