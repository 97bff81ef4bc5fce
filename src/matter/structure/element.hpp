// The elements: symbols, names' numbers, standard atomic weights (IUPAC 2016; the longest-lived isotope's mass number
// where there is none), covalent radii (Cordero et al., Dalton Trans. 2008, 2832; hydrogen to curium).
#pragma once

#include <optional>
#include <string_view>

namespace tqm::matter {

inline constexpr int kMostElements = 118;

// "Li"; number must lie in 1..118.
std::string_view symbol(int number);
// u
double atomic_mass(int number);
// Å; none beyond curium.
std::optional<double> covalent_radius(int number);

// The number of an element by its symbol, exactly as written ("Li") or in another case ("LI", "li"). None for what is
// no symbol. D and T are hydrogen.
std::optional<int> element_by_symbol(std::string_view text);
// The same where labels carry more: "Li1", "O_s", "Fe3+", "Li_sv", "O2-". The longest beginning of letters, one or two,
// that is a symbol.
std::optional<int> element_by_label(std::string_view text);
// By mass, u: the nearest within 0.3 u (or 0.5 % of the mass). LAMMPS data files hold no other name of an element.
std::optional<int> element_by_mass(double mass);

}  // namespace tqm::matter
