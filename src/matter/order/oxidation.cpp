#include "matter/order/oxidation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <vector>

#include "base/text.hpp"
#include "matter/io/words.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

constexpr double kNearlyNeutral = 0.02;  // of the larger of both charges

struct Row {
  std::string_view symbol;
  std::array<int, 5> states;  // 0 ends
};
// The states of elements in salts, the usual one first (Greenwood and Earnshaw, Chemistry of the Elements, 2nd ed.,
// each element's table).
constexpr Row kStates[] = {
    {"H", {1, -1}},     {"Li", {1}},          {"Be", {2}},          {"B", {3}},        {"C", {4, 2, -4}},
    {"N", {-3, 5, 3}},  {"O", {-2, -1}},      {"F", {-1}},          {"Na", {1}},       {"Mg", {2}},
    {"Al", {3}},        {"Si", {4}},          {"P", {5, 4, 3, -3}}, {"S", {-2, 6, 4}}, {"Cl", {-1, 7, 5}},
    {"K", {1}},         {"Ca", {2}},          {"Sc", {3}},          {"Ti", {4, 3}},    {"V", {5, 4, 3}},
    {"Cr", {3, 6}},     {"Mn", {2, 3, 4, 7}}, {"Fe", {3, 2}},       {"Co", {2, 3}},    {"Ni", {2, 3}},
    {"Cu", {2, 1}},     {"Zn", {2}},          {"Ga", {3}},          {"Ge", {4, 2}},    {"As", {5, 3}},
    {"Se", {-2, 6, 4}}, {"Br", {-1}},         {"Rb", {1}},          {"Sr", {2}},       {"Y", {3}},
    {"Zr", {4}},        {"Nb", {5, 4}},       {"Mo", {6, 4}},       {"Ru", {4, 3}},    {"Rh", {3}},
    {"Pd", {2}},        {"Ag", {1}},          {"Cd", {2}},          {"In", {3}},       {"Sn", {4, 2}},
    {"Sb", {5, 3}},     {"Te", {6, 4, -2}},   {"I", {-1, 5}},       {"Cs", {1}},       {"Ba", {2}},
    {"La", {3}},        {"Ce", {3, 4}},       {"Pr", {3, 4}},       {"Nd", {3}},       {"Sm", {3}},
    {"Eu", {3, 2}},     {"Gd", {3}},          {"Tb", {3, 4}},       {"Dy", {3}},       {"Ho", {3}},
    {"Er", {3}},        {"Tm", {3}},          {"Yb", {3, 2}},       {"Lu", {3}},       {"Hf", {4}},
    {"Ta", {5}},        {"W", {6}},           {"Re", {7}},          {"Ir", {4}},       {"Pt", {4, 2}},
    {"Au", {3, 1}},     {"Hg", {2, 1}},       {"Tl", {1, 3}},       {"Pb", {2, 4}},    {"Bi", {3, 5}},
    {"Th", {4}},        {"U", {6, 4}},
};

std::vector<int> known_states(int number) {
  for (const Row& row : kStates) {
    if (row.symbol != symbol(number)) continue;
    std::vector<int> states;
    for (int state : row.states)
      if (state != 0) states.push_back(state);
    return states;
  }
  return {};
}

struct Choice {
  std::vector<double> counts;
  std::vector<std::vector<int>> states;
  std::vector<size_t> best, now;
  double best_cost = std::numeric_limits<double>::infinity();
  double least_left = std::numeric_limits<double>::infinity();  // of the larger of both charges, signed

  void search(size_t element, int rank) {
    if (element < counts.size()) {
      for (size_t i = 0; i < states[element].size(); ++i) {
        now[element] = i;
        search(element + 1, rank + static_cast<int>(i));
      }
      return;
    }
    double positive = 0, negative = 0;
    for (size_t e = 0; e < counts.size(); ++e) {
      const double charge = counts[e] * states[e][now[e]];
      (charge > 0 ? positive : negative) += charge;
    }
    const double left = (positive + negative) / std::max({positive, -negative, 1e-9});
    if (std::abs(left) < std::abs(least_left)) least_left = left;
    if (std::abs(left) > kNearlyNeutral) return;
    const double cost = rank + std::abs(left);
    if (cost >= best_cost) return;
    best_cost = cost;
    best = now;
  }
};

}  // namespace

Result<OxidationStates> oxidation_states(const std::map<int, double>& counts, const OxidationStates& given,
                                         const std::string& where) {
  Choice choice;
  std::vector<int> elements;
  for (const auto& [number, count] : counts) {
    const auto said = given.find(number);
    std::vector<int> states = said != given.end() ? std::vector<int>{said->second} : known_states(number);
    if (states.empty())
      return Error{ErrorKind::unsupported, fmt::format("no oxidation state of {} is known", symbol(number)), where,
                   fmt::format("give one: --oxidation {}=3", symbol(number))};
    elements.push_back(number);
    choice.counts.push_back(count);
    choice.states.push_back(std::move(states));
  }
  choice.now.resize(elements.size());
  choice.search(0, 0);
  if (choice.best.empty())
    return Error{
        ErrorKind::unsupported,
        fmt::format("no usual oxidation states make the composition neutral: {:+.1f} % of the charge is left at best",
                    choice.least_left * 100),
        where, "is an atom missing in the file? If not, give the states by --oxidation"};
  OxidationStates states;
  for (size_t e = 0; e < elements.size(); ++e) states[elements[e]] = choice.states[e][choice.best[e]];
  return states;
}

Result<OxidationStates> parse_oxidation(const std::string& text) {
  OxidationStates states;
  if (text.empty()) return states;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> sides = split(part, '=');
    const auto element = sides.size() == 2 ? element_by_symbol(trim(sides[0])) : std::nullopt;
    const auto state = sides.size() == 2 ? integer_of(trim(sides[1])) : std::nullopt;
    if (!element || !state || *state < -8 || *state > 8)
      return Error{ErrorKind::usage, part + " is no oxidation state", "--oxidation", "say Li=1,S=-2"};
    states[*element] = static_cast<int>(*state);
  }
  return states;
}

std::string oxidation_text(const OxidationStates& states) {
  std::string text;
  for (const auto& [number, state] : states)
    text += fmt::format("{}{} {:+}", text.empty() ? "" : ", ", symbol(number), state);
  return text;
}

}  // namespace tqm::matter
