#include "matter/evaluate/evaluate.hpp"

#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

bool whole(const Structure& structure) {
  return structure.periodic[0] && structure.periodic[1] && structure.periodic[2];
}

Json errors_json(const ForceErrors& errors) {
  return {{"atoms", errors.components / 3},
          {"rmse_ev_per_angstrom", errors.rmse()},
          {"slope", errors.reference_squares > 0 ? Json(errors.slope()) : Json()}};
}

}  // namespace

Json evaluation_json(const Structure& structure, const Evaluation& evaluation) {
  Json forces = Json::array(), stress, moments;
  for (const Vec3& force : evaluation.forces) forces.push_back({force.x, force.y, force.z});
  if (whole(structure)) {
    stress = Json::array();
    for (const double s : evaluation.stress) stress.push_back(s / kGpa);
  }
  if (!evaluation.magnetic_moments.empty()) moments = evaluation.magnetic_moments;
  return {{"energy_ev", evaluation.energy},
          {"energy_per_atom_ev", evaluation.energy / static_cast<double>(structure.size())},
          {"forces_ev_per_angstrom", forces},
          {"stress_gpa", stress},
          {"magnetic_moments", moments}};
}

std::string evaluation_text(const Structure& structure, const Evaluation& evaluation) {
  double largest = 0;
  for (const Vec3& force : evaluation.forces) largest = std::max(largest, norm(force));
  std::string text = formula(structure) + ", " + std::to_string(structure.size()) + " atoms\nenergy   " +
                     fixed_text(evaluation.energy, 6) + " eV, " +
                     fixed_text(evaluation.energy / static_cast<double>(structure.size()), 6) +
                     " eV an atom\nforces   largest " + fixed_text(largest, 4) + " eV/Å\n";
  if (whole(structure)) {
    text += "stress  ";
    for (const double s : evaluation.stress) text += " " + fixed_text(s / kGpa, 4);
    text += " GPa (xx yy zz yz xz xy, tension positive)\n";
  }
  if (!evaluation.magnetic_moments.empty()) {
    text += "moments ";
    for (const double m : evaluation.magnetic_moments) text += " " + fixed_text(m, 3);
    text += " µB\n";
  }
  return text;
}

void ForceErrors::add(const Vec3& predicted, const Vec3& reference) {
  components += 3;
  squares += dot(predicted - reference, predicted - reference);
  products += dot(predicted, reference);
  reference_squares += dot(reference, reference);
}

double ForceErrors::rmse() const {
  return components > 0 ? std::sqrt(squares / static_cast<double>(components)) : 0;
}

double ForceErrors::slope() const {
  return reference_squares > 0 ? products / reference_squares : 0;
}

Result<Comparison> compare_forces(Potential& potential, FrameReader& frames, const std::string& where) {
  Comparison comparison;
  Evaluation evaluation;
  for (;;) {
    const auto frame = TRY(frames.next());
    if (!frame) break;
    ++comparison.frames;
    if (frame->forces.empty()) {
      return Error{ErrorKind::bad_input, "frame " + std::to_string(comparison.frames) + " holds no forces", where,
                   "--against wants frames with reference forces"};
    }
    TRY(potential.evaluate(*frame, evaluation));
    for (size_t i = 0; i < frame->size(); ++i) {
      comparison.all.add(evaluation.forces[i], frame->forces[i]);
      comparison.elements[frame->numbers[i]].add(evaluation.forces[i], frame->forces[i]);
    }
  }
  return comparison;
}

Json comparison_json(const Comparison& comparison) {
  Json elements = Json::object();
  for (const auto& [number, errors] : comparison.elements) elements[std::string(symbol(number))] = errors_json(errors);
  return {{"frames", comparison.frames}, {"all", errors_json(comparison.all)}, {"elements", elements}};
}

std::string comparison_text(const Comparison& comparison) {
  const std::vector<Column> columns = {
      {"element"}, {"atoms", Align::right}, {"RMSE meV/Å", Align::right}, {"slope", Align::right}};
  std::vector<std::vector<std::string>> rows;
  const auto row = [&](const std::string& name, const ForceErrors& errors) {
    rows.push_back({name, std::to_string(errors.components / 3), fixed_text(1000 * errors.rmse(), 1),
                    fixed_text(errors.slope(), 3)});
  };
  for (const auto& [number, errors] : comparison.elements) row(std::string(symbol(number)), errors);
  row("all", comparison.all);
  return "forces against the reference, " + std::to_string(comparison.frames) + " frames\n" + table_text(columns, rows);
}

}  // namespace tqm::matter
