// The one canonical form of atoms in a cell. Every reader ends in it and everything else starts from it; units and the
// sign of stress are made the same at the readers' door and stand in units.hpp.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "matter/structure/units.hpp"
#include "matter/structure/vector3.hpp"

namespace tqm::matter {

// Symmetric, in Voigt's order: xx, yy, zz, yz, xz, xy. eV/Å³, positive in tension.
using Stress = std::array<double, 6>;
Mat3 stress_matrix(const Stress& stress);
// Of a matrix that is symmetric but for rounding: the mean of both halves.
Stress stress_of(const Mat3& matrix);

struct Structure {
  Mat3 cell = {};  // rows are the lattice vectors, Å; all zero where nothing is periodic
  std::array<bool, 3> periodic = {true, true, true};  // along each row
  std::vector<int> numbers = {};                      // atomic numbers, 1..118
  std::vector<Vec3> positions = {};                   // Cartesian, Å; not wrapped into the cell

  // Of each atom; empty where not known.
  std::vector<double> occupancies = {};       // (0, 1]; not empty: disordered, see is_ordered
  std::vector<Vec3> velocities = {};          // Å/fs
  std::vector<Vec3> forces = {};              // eV/Å, F = −dE/dx
  std::vector<double> charges = {};           // e
  std::vector<double> magnetic_moments = {};  // µB
  std::vector<std::array<bool, 3>> movable =
      {};                                // along x, y, z (of a POSCAR: along the lattice vectors); false is held
  std::vector<std::string> labels = {};  // names of sites, as a CIF has them

  // Of the whole.
  std::optional<double> energy = {};   // potential energy, eV; never with kinetic energy in it
  std::optional<Stress> stress = {};   // eV/Å³, positive in tension
  std::optional<double> time = {};     // fs since the trajectory's start
  std::optional<bool> converged = {};  // did the electronic iteration that gave the energy converge? Not known: empty
  std::string name = {};               // of the data block, the first line of a POSCAR, …
  std::map<std::string, std::string> notes = {};  // keys of a file that have no place here, kept as they are written

  size_t size() const { return numbers.size(); }
};

// Is every atom there in full? (No occupancies, or all of them 1.) Two atoms on one site are a distance that others
// judge.
bool is_ordered(const Structure& structure);
// An Error that names the first partly occupied site, and `torquetum matter order`.
Status require_ordered(const Structure& structure);

// The inner bounds: numbers in 1..118, everything finite, lists as long as the atoms or empty, occupancies in (0, 1], a
// cell that spans a volume wherever something is periodic. where: the file or frame to name. Every reader ends with
// this.
Status check(const Structure& structure, const std::string& where);

double volume(const Structure& structure);   // Å³; of a cell that spans one
double mass(const Structure& structure);     // u, occupancies counted
double density(const Structure& structure);  // g/cm³

// Atomic number → how many (a sum of occupancies).
std::map<int, double> composition(const Structure& structure);
// "Li10GeP2S12": counts without a common divisor, cations first as electronegativity goes by; partial counts with up to
// three decimals.
std::string formula(const Structure& structure);

// Cell lengths (Å) and angles (degrees): a, b, c, α, β, γ.
std::array<double, 6> cell_parameters(const Mat3& cell);
// A cell of these lengths and angles: a along x, b in the plane of x and y. Refuses what spans no volume.
Result<Mat3> cell_from_parameters(const std::array<double, 6>& parameters, const std::string& where);
// Perpendicular distances between opposite faces, Å.
std::array<double, 3> cell_widths(const Mat3& cell);

// Rows of fractional coordinates; the cell spans a volume.
std::vector<Vec3> fractional_positions(const Structure& structure);
// The same, each in [0, 1) along periodic directions.
std::vector<Vec3> wrapped_fractional_positions(const Structure& structure);
// f − floor(f), and 0 where rounding would make it 1.
double wrapped(double fraction);

// n1 × n2 × n3 cells; copies of a cell stand together, the first cell first. Energy (an extensive number) is scaled;
// stress stays.
Structure repeated(const Structure& structure, const std::array<int, 3>& times);

}  // namespace tqm::matter
