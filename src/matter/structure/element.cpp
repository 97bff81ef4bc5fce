#include "matter/structure/element.hpp"

#include <array>
#include <cmath>
#include <string>

#include "base/result.hpp"

namespace tqm::matter {
namespace {

struct Element {
  std::string_view symbol;
  double mass;
  double radius;  // 0: not listed
};

constexpr std::array<Element, kMostElements> kElements = {{
    {"H", 1.008, 0.31},
    {"He", 4.002602, 0.28},
    {"Li", 6.94, 1.28},
    {"Be", 9.0121831, 0.96},
    {"B", 10.81, 0.84},
    {"C", 12.011, 0.76},
    {"N", 14.007, 0.71},
    {"O", 15.999, 0.66},
    {"F", 18.998403163, 0.57},
    {"Ne", 20.1797, 0.58},
    {"Na", 22.98976928, 1.66},
    {"Mg", 24.305, 1.41},
    {"Al", 26.9815385, 1.21},
    {"Si", 28.085, 1.11},
    {"P", 30.973761998, 1.07},
    {"S", 32.06, 1.05},
    {"Cl", 35.45, 1.02},
    {"Ar", 39.948, 1.06},
    {"K", 39.0983, 2.03},
    {"Ca", 40.078, 1.76},
    {"Sc", 44.955908, 1.70},
    {"Ti", 47.867, 1.60},
    {"V", 50.9415, 1.53},
    {"Cr", 51.9961, 1.39},
    {"Mn", 54.938044, 1.39},
    {"Fe", 55.845, 1.32},
    {"Co", 58.933194, 1.26},
    {"Ni", 58.6934, 1.24},
    {"Cu", 63.546, 1.32},
    {"Zn", 65.38, 1.22},
    {"Ga", 69.723, 1.22},
    {"Ge", 72.630, 1.20},
    {"As", 74.921595, 1.19},
    {"Se", 78.971, 1.20},
    {"Br", 79.904, 1.20},
    {"Kr", 83.798, 1.16},
    {"Rb", 85.4678, 2.20},
    {"Sr", 87.62, 1.95},
    {"Y", 88.90584, 1.90},
    {"Zr", 91.224, 1.75},
    {"Nb", 92.90637, 1.64},
    {"Mo", 95.95, 1.54},
    {"Tc", 97, 1.47},
    {"Ru", 101.07, 1.46},
    {"Rh", 102.90550, 1.42},
    {"Pd", 106.42, 1.39},
    {"Ag", 107.8682, 1.45},
    {"Cd", 112.414, 1.44},
    {"In", 114.818, 1.42},
    {"Sn", 118.710, 1.39},
    {"Sb", 121.760, 1.39},
    {"Te", 127.60, 1.38},
    {"I", 126.90447, 1.39},
    {"Xe", 131.293, 1.40},
    {"Cs", 132.90545196, 2.44},
    {"Ba", 137.327, 2.15},
    {"La", 138.90547, 2.07},
    {"Ce", 140.116, 2.04},
    {"Pr", 140.90766, 2.03},
    {"Nd", 144.242, 2.01},
    {"Pm", 145, 1.99},
    {"Sm", 150.36, 1.98},
    {"Eu", 151.964, 1.98},
    {"Gd", 157.25, 1.96},
    {"Tb", 158.92535, 1.94},
    {"Dy", 162.500, 1.92},
    {"Ho", 164.93033, 1.92},
    {"Er", 167.259, 1.89},
    {"Tm", 168.93422, 1.90},
    {"Yb", 173.045, 1.87},
    {"Lu", 174.9668, 1.87},
    {"Hf", 178.49, 1.75},
    {"Ta", 180.94788, 1.70},
    {"W", 183.84, 1.62},
    {"Re", 186.207, 1.51},
    {"Os", 190.23, 1.44},
    {"Ir", 192.217, 1.41},
    {"Pt", 195.084, 1.36},
    {"Au", 196.966569, 1.36},
    {"Hg", 200.592, 1.32},
    {"Tl", 204.38, 1.45},
    {"Pb", 207.2, 1.46},
    {"Bi", 208.98040, 1.48},
    {"Po", 209, 1.40},
    {"At", 210, 1.50},
    {"Rn", 222, 1.50},
    {"Fr", 223, 2.60},
    {"Ra", 226, 2.21},
    {"Ac", 227, 2.15},
    {"Th", 232.0377, 2.06},
    {"Pa", 231.03588, 2.00},
    {"U", 238.02891, 1.96},
    {"Np", 237, 1.90},
    {"Pu", 244, 1.87},
    {"Am", 243, 1.80},
    {"Cm", 247, 1.69},
    {"Bk", 247, 0},
    {"Cf", 251, 0},
    {"Es", 252, 0},
    {"Fm", 257, 0},
    {"Md", 258, 0},
    {"No", 259, 0},
    {"Lr", 262, 0},
    {"Rf", 267, 0},
    {"Db", 268, 0},
    {"Sg", 271, 0},
    {"Bh", 270, 0},
    {"Hs", 269, 0},
    {"Mt", 278, 0},
    {"Ds", 281, 0},
    {"Rg", 282, 0},
    {"Cn", 285, 0},
    {"Nh", 286, 0},
    {"Fl", 289, 0},
    {"Mc", 290, 0},
    {"Lv", 293, 0},
    {"Ts", 294, 0},
    {"Og", 294, 0},
}};

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool letter(char c) {
  return upper(c) >= 'A' && upper(c) <= 'Z';
}

const Element& element(int number) {
  ASSERT(number >= 1 && number <= kMostElements);
  return kElements[static_cast<size_t>(number - 1)];
}

}  // namespace

std::string_view symbol(int number) {
  return element(number).symbol;
}

double atomic_mass(int number) {
  return element(number).mass;
}

std::optional<double> covalent_radius(int number) {
  const double radius = element(number).radius;
  return radius > 0 ? std::optional(radius) : std::nullopt;
}

std::optional<int> element_by_symbol(std::string_view text) {
  if (text.empty() || text.size() > 2 || !letter(text[0]) || (text.size() == 2 && !letter(text[1]))) return {};
  std::string wanted(1, upper(text[0]));
  if (text.size() == 2) wanted += lower(text[1]);
  if (wanted == "D" || wanted == "T") return 1;
  for (size_t i = 0; i < kElements.size(); ++i)
    if (kElements[i].symbol == wanted) return static_cast<int>(i + 1);
  return {};
}

std::optional<int> element_by_label(std::string_view text) {
  size_t letters = 0;
  while (letters < text.size() && letter(text[letters])) ++letters;
  if (letters >= 2)
    if (const auto found = element_by_symbol(text.substr(0, 2))) return found;
  return letters >= 1 ? element_by_symbol(text.substr(0, 1)) : std::nullopt;
}

std::optional<int> element_by_mass(double mass) {
  std::optional<int> best;
  double smallest = std::max(0.3, 0.005 * mass);
  for (size_t i = 0; i < kElements.size(); ++i) {
    const double distance = std::abs(kElements[i].mass - mass);
    if (distance > smallest || (best && distance == smallest)) continue;
    smallest = distance;
    best = static_cast<int>(i + 1);
  }
  return best;
}

}  // namespace tqm::matter
