#include "matter/command/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"
#include "matter/io/formats.hpp"
#include "matter/structure/element.hpp"
#include "matter/structure/pairs.hpp"
#include "matter/symmetry/symmetry.hpp"

namespace tqm::matter {
namespace {

constexpr size_t kMostForSymmetry = 2000;  // atoms: beyond, finding the group takes minutes

void look_at_first(Inspection& seen) {
  const Structure& s = seen.first;
  if (s.size() > kMostForSymmetry) {
    seen.no_group = fmt::format("not looked for in more than {} atoms", kMostForSymmetry);
  } else if (const auto symmetry = symmetry_of(s)) {
    seen.group = fmt::format("{} ({})", symmetry->symbol, symmetry->group);
  } else {
    seen.no_group = symmetry.error().what;
  }
  for_each_pair(s, 5, [&](const Pair& pair) {
    if (seen.shortest == 0 || pair.distance < seen.shortest) seen.shortest = pair.distance;
  });
}

void add_frame(Inspection& seen, const Structure& s) {
  ++seen.frames;
  const double atoms = static_cast<double>(s.size());
  seen.atoms.add(atoms);
  if (seen.formulas.size() < 1000 || seen.formulas.contains(formula(s))) ++seen.formulas[formula(s)];
  if (volume(s) > 0) seen.volume_per_atom.add(volume(s) / atoms);
  if (s.energy) seen.energy_per_atom.add(*s.energy / atoms);
  for (const Vec3& force : s.forces) seen.force.add(norm(force));
  if (!s.forces.empty()) seen.force.frames += 1 - static_cast<int64_t>(s.size());
  if (s.stress) seen.pressure_gpa.add(-((*s.stress)[0] + (*s.stress)[1] + (*s.stress)[2]) / 3 / kGpa);
  if (s.time) seen.time.add(*s.time);
  if (!is_ordered(s)) ++seen.disordered;
  if (s.converged && !*s.converged) ++seen.unconverged;
  const auto remark = s.notes.find("reader");
  if (remark != s.notes.end()) ++seen.remarks[remark->second];
}

Json range_json(const Range& range) {
  if (range.frames == 0) return nullptr;
  return Json{{"low", range.low}, {"high", range.high}, {"frames", range.frames}};
}

std::string range_text(const Range& range, std::string_view unit) {
  const std::string low = fmt::format("{:.6g}", range.low), high = fmt::format("{:.6g}", range.high);
  return low == high ? fmt::format("{} {}", low, unit) : fmt::format("{} to {} {}", low, high, unit);
}

}  // namespace

void Range::add(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
  ++frames;
}

Result<Inspection> inspect(const std::filesystem::path& path, std::string_view form, const ReadOptions& options) {
  const Format* format = form.empty() ? TRY(format_of_file(path)) : TRY(format_named(form));
  Inspection seen;
  seen.form = format->name;
  const std::unique_ptr<FrameReader> reader = TRY(open_frames(path, format->name, options));
  while (auto frame = TRY(reader->next())) {
    add_frame(seen, *frame);
    if (seen.frames == 1) seen.first = std::move(*frame);
  }
  if (seen.frames == 0)
    return Error{ErrorKind::bad_input, "the file holds no structure", path.string(), "is it empty?"};
  look_at_first(seen);
  return seen;
}

std::string inspection_text(const Inspection& seen) {
  const Structure& s = seen.first;
  std::string text;
  auto line = [&](std::string_view name, const std::string& value) { text += fmt::format("{:<12}{}\n", name, value); };
  line("form", seen.form + fmt::format(", {} frame{}", seen.frames, seen.frames == 1 ? "" : "s"));
  std::string formulas;
  for (const auto& [name, frames] : seen.formulas) {
    if (formulas.size() > 200) {
      formulas += ", …";
      break;
    }
    formulas += (formulas.empty() ? "" : ", ") + name + (seen.formulas.size() > 1 ? fmt::format(" ({})", frames) : "");
  }
  line("formula", formulas);
  line("atoms", range_text(seen.atoms, ""));
  if (volume(s) > 0) {
    const std::array<double, 6> c = cell_parameters(s.cell);
    line("cell", fmt::format("{:.6g} {:.6g} {:.6g} Å, {:.6g} {:.6g} {:.6g}°", c[0], c[1], c[2], c[3], c[4], c[5]));
    line("volume", range_text(seen.volume_per_atom, "Å³/atom") + fmt::format(", {:.4g} g/cm³", density(s)));
  }
  line("group", seen.group.empty() ? "none: " + seen.no_group : seen.group);
  if (seen.shortest > 0) line("shortest", fmt::format("{:.4f} Å between two atoms", seen.shortest));
  if (seen.disordered > 0) {
    size_t partial = 0;
    for (double o : s.occupancies) partial += o != 1;
    line("disorder", fmt::format("{} frames; {} of {} atoms of the first are there in part: torquetum matter order",
                                 seen.disordered, partial, s.size()));
  }
  if (seen.energy_per_atom.frames) line("energy", range_text(seen.energy_per_atom, "eV/atom"));
  if (seen.force.frames) line("forces", range_text(seen.force, "eV/Å"));
  if (seen.pressure_gpa.frames) line("pressure", range_text(seen.pressure_gpa, "GPa, from the stress"));
  if (seen.time.frames) line("time", range_text(seen.time, "fs"));
  if (!s.velocities.empty()) line("velocities", "yes");
  if (!s.movable.empty()) line("held", "some atoms have flags of movement");
  if (seen.unconverged) line("unconverged", fmt::format("{} frames", seen.unconverged));
  for (const auto& [what, frames] : seen.remarks)
    line("remark", what + (seen.frames > 1 ? fmt::format(" ({} frames)", frames) : ""));
  return text;
}

Json inspection_json(const Inspection& seen) {
  const Structure& s = seen.first;
  Json formulas = Json::object(), remarks = Json::object();
  for (const auto& [name, frames] : seen.formulas) formulas[name] = frames;
  for (const auto& [what, frames] : seen.remarks) remarks[what] = frames;
  Json json = {{"form", seen.form}, {"frames", seen.frames}, {"formulas", formulas}, {"atoms", range_json(seen.atoms)}};
  if (volume(s) > 0) {
    json["cell"] = cell_parameters(s.cell);
    json["density_g_per_cm3"] = density(s);
  }
  json["space_group"] = seen.group.empty() ? Json(nullptr) : Json(seen.group);
  json["shortest_distance_angstrom"] = seen.shortest > 0 ? Json(seen.shortest) : Json(nullptr);
  json["volume_angstrom3_per_atom"] = range_json(seen.volume_per_atom);
  json["energy_ev_per_atom"] = range_json(seen.energy_per_atom);
  json["force_ev_per_angstrom"] = range_json(seen.force);
  json["pressure_gpa"] = range_json(seen.pressure_gpa);
  json["time_fs"] = range_json(seen.time);
  json["disordered_frames"] = seen.disordered;
  json["unconverged_frames"] = seen.unconverged;
  json["remarks"] = remarks;
  return json;
}

}  // namespace tqm::matter
