// How far atoms got: mean square displacements over all origins, jumps counted, currents. Pure functions of
// coordinates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matter/structure/vector3.hpp"

namespace tqm::matter {

// A coordinate of an atom at equally spaced times, Å; three of them (x, y, z) follow one another for each atom.
using Coordinates = std::vector<std::vector<double>>;

// ⟨|r(t + m) - r(t)|²⟩ over atoms and all origins t, Å², for m = 0 … points - 1. O(n log n): with the sum of squares
// running and the correlation by Fourier transforms (V. Calandrini et al., Collection SFN 12 (2011) 201, section 4.2).
std::vector<double> mean_square_displacement(const Coordinates& coordinates);

// Σ over atoms of a coordinate, times 1/√atoms: a single walker, whose mean square displacement an atom is the
// collective one, ⟨|Σ Δr|²⟩/N.
Coordinates collective(const Coordinates& coordinates);

// Jumps by residence: an atom's place is the mean of its last positions since it jumped; where it has gone farther than
// `reach` from there and is still that far at the next `settle` points, it has jumped. Counts jumps and how many of
// them lead back to the place before (within reach/2).
struct Jumps {
  int64_t count = 0;
  int64_t back = 0;
  double length = 0;  // root mean square, Å; 0 without jumps
};
Jumps count_jumps(const Coordinates& coordinates, double reach, size_t settle = 3);

// ∫0^m ⟨J(0)·J(t)⟩ dt / 3 by the trapezoidal rule, for m = 0 … most: the Green–Kubo integral of a current at equally
// spaced times, in current² × time. It equals half the slope a direction of the displacement that the current adds up
// to.
std::vector<double> green_kubo(std::span<const Vec3> current, double step, size_t most);

// d log(MSD - offset) / d log t between two lags, by least squares; 1 where diffusive, 2 where ballistic. 0 where
// nothing grows.
double log_slope(std::span<const double> msd, double offset, size_t from, size_t to);

}  // namespace tqm::matter
