#include <algorithm>
#include <fmt/format.h>

#include "matter/io/key_values.hpp"
#include "matter/io/words.hpp"
#include "matter/io/write.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

// A key that a note may have: not one of those that the form itself gives a meaning, nor one that could not be read
// back.
bool writable(const std::string& key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
  static constexpr std::string_view kTaken[] = {"Lattice",    "Properties",  "pbc",        "energy",     "REF_energy",
                                                "dft_energy", "free_energy", "stress",     "REF_stress", "dft_stress",
                                                "virial",     "virials",     "REF_virial", "dft_virial", "time",
                                                "name",       "converged"};
  return plain && std::none_of(std::begin(kTaken), std::end(kTaken),
                               [&](std::string_view word) { return same_word(key, word); });
}

}  // namespace

Result<std::string> write_extxyz(const Structure& s) {
  std::string text = fmt::format("{}\n", s.size());
  if (s.cell != Mat3())
    text += "Lattice=\"" + exact(s.cell[0]) + " " + exact(s.cell[1]) + " " + exact(s.cell[2]) + "\" ";
  text += "Properties=species:S:1:pos:R:3";
  if (!s.velocities.empty()) text += ":vel:R:3";
  if (!s.forces.empty()) text += ":forces:R:3";
  if (!s.charges.empty()) text += ":charges:R:1";
  if (!s.magnetic_moments.empty()) text += ":magmoms:R:1";
  if (!s.occupancies.empty()) text += ":occupancies:R:1";
  if (!s.movable.empty()) text += ":move_mask:L:3";
  if (!s.labels.empty()) text += ":labels:S:1";
  if (s.energy) text += " energy=" + exact(*s.energy);
  if (s.stress) {
    const Mat3 stress = stress_matrix(*s.stress);
    text += " stress=\"" + exact(stress[0]) + " " + exact(stress[1]) + " " + exact(stress[2]) + "\"";
  }
  if (s.time) text += " time=" + exact(*s.time);
  if (s.converged) text += *s.converged ? " converged=T" : " converged=F";
  if (!s.name.empty()) text += " name=" + quoted_value(one_line(s.name));
  for (const auto& [key, value] : s.notes)
    if (writable(key)) text += " " + key + "=" + quoted_value(one_line(value));
  text += " pbc=\"";
  for (size_t k = 0; k < 3; ++k) text += std::string(k ? " " : "") + (s.periodic[k] ? "T" : "F");
  text += "\"\n";
  for (size_t i = 0; i < s.size(); ++i) {
    text += std::string(symbol(s.numbers[i])) + " " + exact(s.positions[i]);
    if (!s.velocities.empty()) text += " " + exact(s.velocities[i]);
    if (!s.forces.empty()) text += " " + exact(s.forces[i]);
    if (!s.charges.empty()) text += " " + exact(s.charges[i]);
    if (!s.magnetic_moments.empty()) text += " " + exact(s.magnetic_moments[i]);
    if (!s.occupancies.empty()) text += " " + exact(s.occupancies[i]);
    if (!s.movable.empty())
      for (bool free : s.movable[i]) text += free ? " T" : " F";
    if (!s.labels.empty()) text += " " + one_word(s.labels[i]);
    text += "\n";
  }
  return text;
}

}  // namespace tqm::matter
