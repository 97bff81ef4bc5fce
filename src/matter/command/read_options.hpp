// The options of every subcommand that reads structures: what the file does not say of itself.
#pragma once

#include <memory>
#include <string>

#include "matter/io/frames.hpp"

namespace CLI {
class App;
}

namespace tqm::matter {

struct ReadGiven {
  std::string from, types, units;
  bool stress_is_pressure = false;
};

void add_read_options(CLI::App& command, ReadGiven& given);
// usage where --types names what is no element.
Result<ReadOptions> read_options(const ReadGiven& given);
// "cif", "cif, extxyz and poscar": the names of all forms that are read, or written.
std::string form_names(bool written);

}  // namespace tqm::matter
