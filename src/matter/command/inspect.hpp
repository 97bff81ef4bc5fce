// What a file of structures holds, gathered frame by frame.
#pragma once

#include <limits>
#include <map>
#include <string>

#include "base/json.hpp"
#include "matter/io/frames.hpp"

namespace tqm::matter {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  int64_t frames = 0;  // that have it
  void add(double value);
};

struct Inspection {
  int64_t frames = 0;
  std::string form;
  Structure first;
  std::string group;  // of the first frame; empty where there is none, and why in no_group
  std::string no_group;
  double shortest = 0;                      // Å, in the first frame; 0: none below 5 Å
  std::map<std::string, int64_t> formulas;  // → frames
  std::map<std::string, int64_t> remarks;   // of the reader → frames
  Range atoms, volume_per_atom, energy_per_atom, force, pressure_gpa, time;
  int64_t disordered = 0, unconverged = 0;
};

Result<Inspection> inspect(const std::filesystem::path& path, std::string_view form, const ReadOptions& options);
std::string inspection_text(const Inspection& inspection);
Json inspection_json(const Inspection& inspection);

}  // namespace tqm::matter
