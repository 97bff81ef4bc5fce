#include "matter/io/formats.hpp"

#include <fmt/format.h>
#include <fstream>

#include "base/file.hpp"
#include "base/text.hpp"
#include "matter/io/cif.hpp"
#include "matter/io/extxyz.hpp"
#include "matter/io/lammps.hpp"
#include "matter/io/poscar.hpp"
#include "matter/io/pwmat.hpp"
#include "matter/io/words.hpp"

namespace tqm::matter {
namespace {

bool ends(std::string_view name, std::string_view end) {
  return name.size() >= end.size() && same_word(name.substr(name.size() - end.size()), end);
}

// The words of a beginning's line, counted from 0; none where there are fewer lines.
std::vector<std::string_view> line_words(std::string_view beginning, size_t line) {
  for (; line > 0; --line) {
    const size_t end = beginning.find('\n');
    if (end == std::string_view::npos) return {};
    beginning.remove_prefix(end + 1);
  }
  return words_of(beginning.substr(0, beginning.find('\n')));
}

bool numbers_at(std::string_view beginning, size_t line, size_t least) {
  const auto words = line_words(beginning, line);
  if (words.size() < least) return false;
  for (size_t i = 0; i < least; ++i)
    if (!number_of(words[i])) return false;
  return true;
}

constexpr Format kFormats[] = {
    {"cif", "CIF, a crystal with its symmetry and occupancies",
     [](std::string_view name) { return ends(name, ".cif"); },
     [](std::string_view text) {
       return holds(text, "data_") && (holds(text, "loop_") || holds(text, "_cell_length"));
     },
     read_cif, write_cif, true, kLabels},
    {"poscar", "POSCAR or CONTCAR of VASP",
     [](std::string_view name) { return holds(name, "POSCAR") || holds(name, "CONTCAR") || ends(name, ".vasp"); },
     [](std::string_view text) {
       return numbers_at(text, 1, 1) && numbers_at(text, 2, 3) && numbers_at(text, 3, 3) && numbers_at(text, 4, 3);
     },
     read_poscar, write_poscar, false, kVelocities | kMovable},
    {"xdatcar", "XDATCAR of VASP, a trajectory", [](std::string_view name) { return holds(name, "XDATCAR"); },
     [](std::string_view text) { return holds(text, "configuration=") && numbers_at(text, 2, 3); }, read_xdatcar,
     nullptr, true},
    {"lammps-data", "data file of LAMMPS, a structure",
     [](std::string_view name) { return ends(name, ".lmp") || ends(name, ".data"); },
     [](std::string_view text) { return holds(text, " xlo xhi") && holds(text, " atoms"); }, read_lammps_data,
     write_lammps_data, false, kVelocities | kCharges},
    {"lammps-dump", "dump of LAMMPS, a trajectory",
     [](std::string_view name) { return ends(name, ".lammpstrj") || ends(name, ".dump") || name.starts_with("dump."); },
     [](std::string_view text) { return text.starts_with("ITEM: "); }, read_lammps_dump, nullptr, true},
    {"atom.config", "atom.config of PWmat, a structure", [](std::string_view name) { return ends(name, ".config"); },
     [](std::string_view text) {
       return !line_words(text, 0).empty() && integer_of(line_words(text, 0)[0]) && holds(text, "lattice") &&
              holds(text, "position");
     },
     read_atom_config, write_atom_config, false, kVelocities | kMoments | kMovable},
    {"movement", "MOVEMENT of PWmat, a trajectory", [](std::string_view name) { return holds(name, "MOVEMENT"); },
     [](std::string_view text) {
       return !line_words(text, 0).empty() && integer_of(line_words(text, 0)[0]) &&
              holds(text.substr(0, text.find('\n')), "iteration");
     },
     read_movement, nullptr, true},
    {"extxyz", "extended XYZ, as ASE and GPUMD have it, and plain XYZ",
     [](std::string_view name) { return ends(name, ".xyz") || ends(name, ".extxyz"); },
     [](std::string_view text) {
       return line_words(text, 0).size() == 1 && integer_of(line_words(text, 0)[0]) && !numbers_at(text, 2, 1);
     },
     read_extxyz, write_extxyz, true, kVelocities | kForces | kCharges | kMoments | kMovable | kLabels | kWhole},
};

std::string names() {
  std::vector<std::string> list;
  for (const Format& format : kFormats) list.emplace_back(format.name);
  return join(list, ", ");
}

}  // namespace

std::span<const Format> formats() {
  return kFormats;
}

Result<const Format*> format_named(std::string_view name) {
  for (const Format& format : kFormats)
    if (format.name == name) return &format;
  return Error{ErrorKind::unsupported, fmt::format("no file form is called {}", name), "", "these are: " + names()};
}

Result<const Format*> format_of_name(const std::filesystem::path& path) {
  for (const Format& format : kFormats)
    if (format.is_name(path.filename().string())) return &format;
  return Error{ErrorKind::usage, "the file's name does not tell its form", path.string(),
               "say which by --to: " + names()};
}

Result<const Format*> format_of_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  for (const Format& format : kFormats)
    if (format.is_name(name)) return &format;
  std::ifstream file(path, std::ios::binary);
  if (!file) return system_error("can't open the file", path, errno);
  std::string beginning(4096, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<size_t>(file.gcount()));
  // XDATCAR begins as a POSCAR does, so the more special comes first.
  const Format* found = nullptr;
  for (const Format& format : kFormats)
    if (format.is_beginning(beginning)) found = &format;
  if (found) return found;
  return Error{ErrorKind::unsupported, "neither the name nor the beginning of the file tells its form", path.string(),
               "say which by --from: " + names()};
}

}  // namespace tqm::matter
