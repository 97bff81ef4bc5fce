// Oxidation states that make a composition neutral.
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"

namespace tqm::matter {

// Atomic number → state.
using OxidationStates = std::map<int, int>;

// One state for each element, from a table of the states that it has in salts, the usual one first: among those that
// leave at most 2 % of the charge, the most usual ones. given overrules the table. counts: atoms of each
// element, may be partial. Refuses, with what is missing of neutrality, where no choice does.
Result<OxidationStates> oxidation_states(const std::map<int, double>& counts, const OxidationStates& given,
                                         const std::string& where);

// "Li=1,S=-2" as the option gives it.
Result<OxidationStates> parse_oxidation(const std::string& text);
// "Li +1, S −2".
std::string oxidation_text(const OxidationStates& states);

}  // namespace tqm::matter
