// The Coulomb energy of point charges in a periodic cell, by P. P. Ewald's split into a real and a reciprocal sum (Ann.
// Phys. 369, 253 (1921); in the form of Frenkel and Smit, Understanding Molecular Simulation, 2nd ed., eq. 12.1.25), as
// a matrix: E = ½ Σ q_i q_j M_ij. With the matrix, what an exchange of two charges costs is a few products, however
// large the cell.
#pragma once

#include <vector>

#include "matter/structure/vector3.hpp"

namespace tqm::matter {

class EwaldMatrix {
 public:
  // positions: Cartesian, Å. Relative error below 1e-9. A background that makes the cell neutral is included. Time and
  // memory grow as the square of the number of sites: 1,000 take about 2 s and 8 MB.
  EwaldMatrix(const Mat3& cell, const std::vector<Vec3>& positions);
  size_t size() const { return size_; }
  // eV/e²; M_ii holds an ion's interaction with its own images.
  double operator()(size_t i, size_t j) const { return matrix_[i * size_ + j]; }
  // eV; charges in e.
  double energy(const std::vector<double>& charges) const;
  // Σ_j M_ij q_j, for each site: V.
  std::vector<double> potentials(const std::vector<double>& charges) const;

 private:
  size_t size_;
  std::vector<double> matrix_;
};

}  // namespace tqm::matter
