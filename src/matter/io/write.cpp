#include "matter/io/write.hpp"

#include <fmt/format.h>

#include "matter/io/formats.hpp"

namespace tqm::matter {

std::vector<std::string> left_out(const Structure& s, const Format& format) {
  std::vector<std::string> names;
  auto ask = [&](bool has, Holds part, std::string name) {
    if (has && !(format.holds & part)) names.push_back(std::move(name));
  };
  ask(!s.velocities.empty(), kVelocities, "velocities");
  ask(!s.forces.empty(), kForces, "forces");
  ask(!s.charges.empty(), kCharges, "charges");
  ask(!s.magnetic_moments.empty(), kMoments, "magnetic moments");
  ask(!s.movable.empty(), kMovable, "flags of movement");
  ask(!s.labels.empty(), kLabels, "labels");
  ask(s.energy.has_value(), kWhole, "energy");
  ask(s.stress.has_value(), kWhole, "stress");
  ask(s.time.has_value(), kWhole, "time");
  ask(s.converged.has_value(), kWhole, "convergence");
  ask(!s.notes.empty(), kWhole, "notes");
  ask(!(s.periodic[0] && s.periodic[1] && s.periodic[2]), kWhole, "directions without periodicity");
  return names;
}

Result<FrameFile> FrameFile::create(const std::filesystem::path& path, const Format& format) {
  if (!format.write)
    return Error{ErrorKind::unsupported, fmt::format("the form {} is read and not written", format.name), path.string(),
                 "poscar, extxyz, cif, lammps-data and atom.config are written"};
  return FrameFile(TRY(AtomicFile::create(path)), format, path);
}

Status FrameFile::write(const Structure& structure) {
  if (frames_ > 0 && !format_->many)
    return Error{ErrorKind::unsupported,
                 fmt::format("the form {} holds one structure, and there are more", format_->name), path_.string(),
                 "write extxyz, or choose a frame by --frame"};
  const std::string text = TRY(format_->write(structure));
  TRY(file_.write(text));
  ++frames_;
  return {};
}

}  // namespace tqm::matter
