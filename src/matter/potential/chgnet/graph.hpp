// The graph that CHGNet reads, of one structure or of many side by side: bonds within the cutoff, and pairs of short
// bonds that meet in an atom. All in double; the network takes lengths and cosines from it and gives back what the
// energy changes with each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matter/potential/neighbours/neighbours.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter::chgnet {

struct Graph {
  std::vector<int64_t> numbers;    // of atoms
  std::vector<size_t> first_atom;  // of each structure, and the end
  // Directed edges, sorted by centre. Both directions share a bond.
  std::vector<int64_t> centre, neighbour, bond;
  std::vector<Vec3> unit;  // from the centre to the neighbour
  // Bonds.
  std::vector<double> length;   // Å
  std::vector<size_t> forward;  // the directed edge that a bond's force is counted along
  // Short bonds, and pairs of them in an atom: row r adds to short bond first[r] what the second does to it.
  std::vector<int64_t> short_bonds;                  // into bonds
  std::vector<int64_t> angle_centre, first, second;  // atom; short bonds
  std::vector<size_t> first_edge, second_edge;       // the directed edges
  std::vector<double> cosine;

  void clear();
};

// For a list whose pairs know their own opposites; brought up to the list where that was built anew.
struct Opposites {
  int64_t builds = -1;
  std::vector<size_t> of;  // of each pair of the list, the number of the pair seen from the other side
  void update(const NeighbourList& list, size_t atoms);
};

// Adds a structure to the graph. False where an atom has no neighbour within cutoff: lonely is its number.
bool add_structure(const Structure& structure, const NeighbourList& list, const Opposites& opposites, double cutoff,
                   double angle_cutoff, Graph& graph, size_t& lonely);

// From what the energy changes with each bond's length and each row's cosine to forces and Σ r ⊗ dE/dr of each
// structure.
void add_forces(const Graph& graph, std::span<const double> of_length, std::span<const double> of_cosine,
                std::vector<Vec3>& forces, std::vector<Mat3>& virials);

}  // namespace tqm::matter::chgnet
