// What a potential says of a structure, and how far it is from reference forces.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/json.hpp"
#include "matter/io/frames.hpp"
#include "matter/potential/potential.hpp"

namespace tqm::matter {

// energy_ev, energy_per_atom_ev, forces_ev_per_angstrom, stress_gpa (xx yy zz yz xz xy, tension positive; null where
// not all directions are periodic), magnetic_moments (null where the potential knows none): scripts rely on this form.
Json evaluation_json(const Structure& structure, const Evaluation& evaluation);
std::string evaluation_text(const Structure& structure, const Evaluation& evaluation);

// Predicted against reference forces, component by component.
struct ForceErrors {
  int64_t components = 0;
  double squares = 0, products = 0, reference_squares = 0;  // Σ (p − r)², Σ p r, Σ r²
  void add(const Vec3& predicted, const Vec3& reference);
  double rmse() const;   // eV/Å
  double slope() const;  // of the line through zero that fits p to r; below 1: softened
};

struct Comparison {
  int64_t frames = 0;
  ForceErrors all;
  std::map<int, ForceErrors> elements;
};
// Over all frames; one without forces is refused.
Result<Comparison> compare_forces(Potential& potential, FrameReader& frames, const std::string& where);
Json comparison_json(const Comparison& comparison);
std::string comparison_text(const Comparison& comparison);

}  // namespace tqm::matter
