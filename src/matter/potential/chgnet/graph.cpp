#include "matter/potential/chgnet/graph.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tqm::matter::chgnet {
namespace {

// Of the two directions of a bond, the one from the lower atom; of an atom and its own image, the one whose image comes
// later.
bool is_forward(size_t i, const Neighbour& n) {
  const auto j = static_cast<size_t>(n.atom);
  if (i != j) return i < j;
  return std::make_tuple(n.image[0], n.image[1], n.image[2]) > std::make_tuple(0, 0, 0);
}

}  // namespace

void Graph::clear() {
  numbers.clear(), centre.clear(), neighbour.clear(), bond.clear(), unit.clear(), length.clear(), forward.clear();
  short_bonds.clear(), angle_centre.clear(), first.clear(), second.clear(), first_edge.clear(), second_edge.clear();
  cosine.clear();
  first_atom.assign(1, 0);
}

void Opposites::update(const NeighbourList& list, size_t atoms) {
  if (builds == list.builds()) return;
  builds = list.builds();
  of.assign(list.pairs(), 0);
  for (size_t i = 0; i < atoms; ++i) {
    const auto mine = list.of(i);
    for (size_t k = 0; k < mine.size(); ++k) {
      if (!is_forward(i, mine[k])) continue;
      const auto j = static_cast<size_t>(mine[k].atom);
      const auto theirs = list.of(j);
      const auto found = std::find_if(theirs.begin(), theirs.end(), [&](const Neighbour& n) {
        return static_cast<size_t>(n.atom) == i && n.image[0] == -mine[k].image[0] && n.image[1] == -mine[k].image[1] &&
               n.image[2] == -mine[k].image[2];
      });
      // A pair at the list's very edge may be seen from one side only; it is far outside the cutoff.
      const size_t pair = list.first(i) + k;
      if (found == theirs.end()) {
        of[pair] = pair;
        continue;
      }
      const size_t other = list.first(j) + static_cast<size_t>(found - theirs.begin());
      of[pair] = other;
      of[other] = pair;
    }
  }
}

bool add_structure(const Structure& structure, const NeighbourList& list, const Opposites& opposites, double cutoff,
                   double angle_cutoff, Graph& graph, size_t& lonely) {
  const size_t atoms = structure.size(), base = graph.numbers.size();
  constexpr int64_t kNone = -1;
  std::vector<int64_t> bond_of(list.pairs(), kNone);  // of each pair of the list
  for (size_t i = 0; i < atoms; ++i) {
    const auto neighbours = list.of(i);
    for (size_t k = 0; k < neighbours.size(); ++k) {
      if (!is_forward(i, neighbours[k])) continue;
      const double length = norm(separation(structure, i, neighbours[k]));
      if (length > cutoff || length <= 1e-8) continue;
      const size_t pair = list.first(i) + k;
      bond_of[pair] = bond_of[opposites.of[pair]] = static_cast<int64_t>(graph.length.size());
      graph.length.push_back(length);
    }
  }
  graph.forward.resize(graph.length.size());
  std::vector<int64_t> short_of;  // of each bond of this structure, from its first on
  std::vector<size_t> near;       // directed edges of one atom that take part in angles
  short_of.assign(graph.length.size(), kNone);
  for (size_t i = 0; i < atoms; ++i) {
    const auto neighbours = list.of(i);
    near.clear();
    bool any = false;
    for (size_t k = 0; k < neighbours.size(); ++k) {
      const size_t pair = list.first(i) + k;
      const int64_t bond = bond_of[pair];
      if (bond == kNone) continue;
      any = true;
      const double length = graph.length[static_cast<size_t>(bond)];
      if (is_forward(i, neighbours[k])) graph.forward[static_cast<size_t>(bond)] = graph.centre.size();
      if (length < angle_cutoff) near.push_back(graph.centre.size());
      graph.centre.push_back(static_cast<int64_t>(base + i));
      graph.neighbour.push_back(static_cast<int64_t>(base) + neighbours[k].atom);
      graph.bond.push_back(bond);
      graph.unit.push_back(separation(structure, i, neighbours[k]) * (1 / length));
    }
    if (!any) return lonely = i, false;
    for (const size_t e : near) {
      int64_t& number = short_of[static_cast<size_t>(graph.bond[e])];
      if (number != kNone) continue;
      number = static_cast<int64_t>(graph.short_bonds.size());
      graph.short_bonds.push_back(graph.bond[e]);
    }
    for (const size_t e : near) {
      for (const size_t f : near) {
        if (e == f) continue;
        graph.angle_centre.push_back(static_cast<int64_t>(base + i));
        graph.first.push_back(short_of[static_cast<size_t>(graph.bond[e])]);
        graph.second.push_back(short_of[static_cast<size_t>(graph.bond[f])]);
        graph.first_edge.push_back(e);
        graph.second_edge.push_back(f);
        graph.cosine.push_back(dot(graph.unit[e], graph.unit[f]));
      }
    }
  }
  for (const int number : structure.numbers) graph.numbers.push_back(number);
  graph.first_atom.push_back(graph.numbers.size());
  return true;
}

void add_forces(const Graph& graph, std::span<const double> of_length, std::span<const double> of_cosine,
                std::vector<Vec3>& forces, std::vector<Mat3>& virials) {
  std::vector<Vec3> pulls(graph.centre.size());  // dE/dr of each directed edge
  for (size_t b = 0; b < graph.length.size(); ++b)
    pulls[graph.forward[b]] = graph.unit[graph.forward[b]] * of_length[b];
  for (size_t r = 0; r < graph.cosine.size(); ++r) {
    const size_t e = graph.first_edge[r], f = graph.second_edge[r];
    const double cosine = graph.cosine[r];
    const Vec3 &a = graph.unit[e], &b = graph.unit[f];
    pulls[e] += (b - a * cosine) * (of_cosine[r] / graph.length[static_cast<size_t>(graph.bond[e])]);
    pulls[f] += (a - b * cosine) * (of_cosine[r] / graph.length[static_cast<size_t>(graph.bond[f])]);
  }
  forces.assign(graph.numbers.size(), {});
  virials.assign(graph.first_atom.size() - 1, {});
  size_t structure = 0;
  for (size_t e = 0; e < pulls.size(); ++e) {
    const auto i = static_cast<size_t>(graph.centre[e]);
    while (i >= graph.first_atom[structure + 1]) ++structure;
    forces[i] += pulls[e];
    forces[static_cast<size_t>(graph.neighbour[e])] -= pulls[e];
    const Vec3 r = graph.unit[e] * graph.length[static_cast<size_t>(graph.bond[e])];
    for (size_t a = 0; a < 3; ++a) virials[structure][a] += r[a] * pulls[e];
  }
}

}  // namespace tqm::matter::chgnet
