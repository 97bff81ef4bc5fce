#include "matter/command/read_options.hpp"

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "matter/io/formats.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {

std::string form_names(bool written) {
  std::vector<std::string> names;
  for (const Format& format : formats())
    if (!written || format.write) names.emplace_back(format.name);
  return join(names, ", ");
}

void add_read_options(CLI::App& command, ReadGiven& given) {
  command.add_option("--from", given.from,
                     "the form of FILE, where its name and beginning don't tell: " + form_names(false));
  command.add_option("--types", given.types, "LAMMPS: the elements of types 1, 2, …, such as Li,P,S");
  command.add_option("--units", given.units, "LAMMPS: metal or real (else as the file says, else metal)")
      ->check(CLI::IsMember({"metal", "real"}));
  command.add_flag("--stress-is-pressure", given.stress_is_pressure,
                   "MOVEMENT: its stress is positive in compression, as two other programs take it");
}

Result<ReadOptions> read_options(const ReadGiven& given) {
  ReadOptions options;
  options.units = given.units;
  options.stress_is_pressure = given.stress_is_pressure;
  if (given.types.empty()) return options;
  for (const std::string& word : split(given.types, ',')) {
    const auto element = element_by_symbol(trim(word));
    if (!element)
      return Error{ErrorKind::usage, "--types names " + word + ", which is no element", "--types", "say Li,P,S"};
    options.types.push_back(*element);
  }
  return options;
}

}  // namespace tqm::matter
