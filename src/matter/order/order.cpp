#include "matter/order/order.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"
#include "matter/io/words.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

constexpr size_t kMostSites = 1500;  // of the supercell: the Ewald matrix grows as its square

// "Li56 La24 Zr16 O96", as a CIF's formula sum has it; empty where it can't be read.
std::map<int, double> composition_of(const std::string& text) {
  std::map<int, double> counts;
  for (std::string_view word : words_of(text)) {
    size_t letters = 0;
    while (letters < word.size() && std::isalpha(static_cast<unsigned char>(word[letters]))) ++letters;
    const auto element = element_by_symbol(word.substr(0, letters));
    const auto count = letters < word.size() ? number_of(word.substr(letters)) : std::optional(1.0);
    if (!element || !count || !(*count > 0)) return {};
    counts[*element] += *count;
  }
  return counts;
}

// How far the shares of the elements are from those of the stated formula: the largest relative difference.
std::optional<double> from_stated(const Structure& s) {
  const auto note = s.notes.find("formula_sum");
  if (note == s.notes.end()) return {};
  const std::map<int, double> stated = composition_of(note->second), found = composition(s);
  if (stated.empty()) return {};
  double stated_sum = 0, found_sum = 0, worst = 0;
  for (const auto& [number, count] : stated) stated_sum += count;
  for (const auto& [number, count] : found) found_sum += count;
  for (const auto& [number, count] : stated) {
    const auto here = found.find(number);
    const double share = here == found.end() ? 0 : here->second / found_sum;
    worst = std::max(worst, std::abs(share * stated_sum / count - 1));
  }
  return worst;
}

Structure cell_of(const Sites& sites, const Arrangement& arrangement, const Structure& from, size_t rank) {
  Structure s;
  s.cell = sites.cell;
  s.name = from.name.empty() ? formula(from) : from.name;
  for (size_t i = 0; i < arrangement.species.size(); ++i) {
    if (arrangement.species[i] == 0) continue;
    s.numbers.push_back(arrangement.species[i]);
    s.positions.push_back(sites.positions[i]);
  }
  s.notes["ewald_ev"] = exact(arrangement.energy);
  s.notes["ordering_rank"] = std::to_string(rank);
  return s;
}

struct Supercell {
  int copies = 0;
  Counts counts;
};

Result<Supercell> find_supercell(const Structure& s, const Sites& sites, const OxidationStates& states,
                                 const OrderOptions& options) {
  double atoms = 0;
  for (const auto& [number, count] : composition(s)) atoms += count;
  std::optional<double> nearest;
  int copies = 1;
  for (; copies == 1 || (atoms * copies <= options.most_atoms * (1 + options.tolerance) &&
                         sites.positions.size() * static_cast<size_t>(copies) <= kMostSites);
       ++copies) {
    std::optional<double> here;
    const auto counts = whole_counts(sites, copies, states, options.tolerance, &here);
    if (counts) {
      int total = 0;
      for (const auto& of_class : counts->of_class)
        for (int count : of_class) total += count;
      if (total > options.most_atoms || sites.positions.size() > kMostSites) break;
      return Supercell{copies, *counts};
    }
    if (here && (!nearest || *here < *nearest)) nearest = here;
  }
  if (atoms > options.most_atoms || sites.positions.size() > kMostSites)
    return Error{
        ErrorKind::unsupported,
        fmt::format("the cell itself has {:.0f} atoms on {} sites, more than the {} atoms allowed (or {} sites)", atoms,
                    sites.positions.size(), options.most_atoms, kMostSites),
        s.name, "allow more by --max-atoms"};
  const std::string near =
      nearest ? fmt::format("the nearest neutral one is {} off", percent_text(*nearest, 1)) : "none is neutral";
  return Error{
      ErrorKind::unsupported,
      fmt::format("no supercell of at most {} atoms ({} cells) has whole numbers within {} of the composition: {}",
                  options.most_atoms, copies - 1, percent_text(options.tolerance, 0), near),
      s.name, "allow more atoms by --max-atoms, or a larger --tolerance"};
}

}  // namespace

Result<Ordered> order(const Structure& structure, const OrderOptions& options) {
  if (!(volume(structure) > 0))
    return Error{ErrorKind::unsupported, "the structure has no cell", structure.name, "give it one"};
  Ordered result;
  result.stated_deviation = from_stated(structure);
  if (is_ordered(structure)) {
    result.already = result.complete = true;
    result.cells = {structure};
    result.cells[0].occupancies.clear();
    for (const auto& [number, count] : composition(structure)) {
      result.atoms[number] = static_cast<int>(std::lround(count));
      result.deviation[number] = 0;
    }
    if (auto states = oxidation_states(composition(structure), options.oxidation, structure.name))
      result.states = *states;
    return result;
  }
  result.states = TRY(oxidation_states(composition(structure), options.oxidation, structure.name));
  const Sites sites = TRY(sites_of(structure));
  const Supercell cell = TRY(find_supercell(structure, sites, result.states, options));
  result.supercell = supercell_of(sites.cell, cell.copies);
  result.deviation = cell.counts.deviation;
  result.worst_deviation = cell.counts.worst;
  const Sites big = repeated(sites, result.supercell);
  for (size_t c = 0; c < sites.classes.size(); ++c)
    for (size_t k = 0; k < sites.classes[c].species.size(); ++k)
      result.atoms[sites.classes[c].species[k]] += cell.counts.of_class[c][k];
  auto arranged = arrange(big, cell.counts, result.states, options.arrange);
  if (!arranged) {
    Error error = arranged.error();
    error.where = structure.name;
    return error;
  }
  result.complete = arranged->complete;
  result.tried = arranged->tried;
  for (const Arrangement& each : arranged->best)
    result.cells.push_back(cell_of(big, each, structure, result.cells.size() + 1));
  return result;
}

}  // namespace tqm::matter
