// A neuroevolution potential as its kernels read it: cut to the species present, each table laid out in the order it is
// read in. Energies in eV, lengths in Å.
//
// Formulas: Fan et al., Phys. Rev. B 104, 104309 (2021); J. Phys.: Condens. Matter 34, 125902 (2022); J. Chem. Phys.
// 157, 114801 (2022); Song et al., Nat. Commun. 15, 10208 (2024). In short: atom i sees through
//   g_n(r) = Σ_k c_nk f_k(r),   f_k(r) = ½ (T_k(2 (r/rc − 1)² − 1) + 1) f_c(r),   f_c(r) = ½ (1 + cos(π r/rc)),
// the radial descriptors Σ_j g_n(r_ij) and the angular ones Σ_m S_nlm², where S_nlm = Σ_j g_n(r_ij) Y_lm(r_ij) with
// orthonormal real harmonics; with them a cubic invariant of l = 2 and a quartic of l = 1; then one hidden layer of
// tanh.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matter/potential/neighbours/neighbours.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter::nep {

// Neurons are padded to a multiple of this with zero weights.
inline constexpr int kPadding = 8;

struct View {
  int types = 0;
  int radial_functions = 0, radial_basis = 0;    // n and k of the radial descriptors
  int angular_functions = 0, angular_basis = 0;  // of the angular ones
  int most_l = 0;                                // 1..8, or 0: no angular descriptors
  bool has_222 = false, has_1111 = false;
  int dimension = 0, neurons = 0;  // of the descriptor; of the hidden layer, padded
  double longest_radial = 0, longest_angular = 0;

  // Of a pair of types, [t1 · types + t2].
  std::vector<double> radial_cutoff, angular_cutoff;
  std::vector<double> radial, angular;  // [t1][t2][n][k]
  // Of a type.
  std::vector<double> hidden;       // [t][d][neuron], the descriptor's scale multiplied in
  std::vector<double> hidden_bias;  // [t][neuron], to be subtracted
  std::vector<double> output;       // [t][neuron]
  std::vector<double> shift;        // [t], to be subtracted from the energy

  // Ziegler–Biersack–Littmark repulsion, [t1 · types + t2].
  struct Zbl {
    double strength = 0;    // eV·Å
    double per_length = 0;  // 1/Å
    double inner = 0, outer = 0;
    double height[4] = {}, decay[4] = {};
  };
  std::vector<Zbl> zbl;  // empty: none
};

// What one thread works with and adds to.
struct Work {
  std::vector<Vec3> forces;           // of all atoms, this thread's share of the sum
  std::array<double, 9> virial = {};  // Σ r ⊗ dE/dr over pairs
};

struct Input {
  const Structure& structure;
  const NeighbourList& list;
  std::span<const int> types;  // of atoms
  std::span<double> energies;  // of atoms, out
};

// Energies of atoms begin..end − 1, and what they add to forces and virial.
using Kernel = void (*)(const View& view, const Input& input, size_t begin, size_t end, Work& work);
namespace generic {
void evaluate(const View& view, const Input& input, size_t begin, size_t end, Work& work);
}
namespace avx2 {
void evaluate(const View& view, const Input& input, size_t begin, size_t end, Work& work);
}
namespace avx512 {
void evaluate(const View& view, const Input& input, size_t begin, size_t end, Work& work);
}
// The fastest that this CPU has and TORQUETUM_ISA permits.
Result<Kernel> fastest_kernel();

}  // namespace tqm::matter::nep
