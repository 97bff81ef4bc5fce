#include "port/emulate/cuda/runtime/fault.hpp"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/process.hpp"
#include "base/text.hpp"
#include "port/emulate/cuda/runtime/image.hpp"

namespace tqm::port::cuda {
namespace {

struct Found {
  Fault fault;
  std::uintptr_t code = 0;
};

struct State {
  std::vector<Found> found;
  std::set<std::pair<std::string, std::uintptr_t>> known;
  std::set<std::string> printed_places;
  std::size_t printed = 0;
  std::map<std::uintptr_t, SourcePlace> places;
};

State& state() {
  static auto* held = new State;
  return *held;
}

constexpr std::size_t kMostFaults = 1000;

// llvm-symbolizer prints a function and file:line:column for each inlined frame, innermost first.
SourcePlace ask_symbolizer(const std::string& path, std::uintptr_t offset) {
  static const std::string program = find_program("llvm-symbolizer-19").value_or("").string();
  if (program.empty()) return {};
  Command command;
  command.arguments = {program, "--obj=" + path, "--inlines", fmt::format("{:#x}", offset)};
  command.timeout_seconds = 60;
  const auto result = run_command(command);
  if (!result) return {};
  const std::vector<std::string> lines = split(result->output, '\n');
  for (std::size_t i = 1; i < lines.size(); i += 2) {
    const std::string& at = lines[i];
    const bool ours = at.find("/port/cuda/include/") != std::string::npos ||
                      at.find("/port/emulate/cuda/include/") != std::string::npos;  // the build tree's link, followed
    if (ours || at.starts_with("??")) continue;
    const auto column = at.rfind(':');
    const auto line = column == std::string::npos ? column : at.rfind(':', column - 1);
    if (line == std::string::npos) continue;
    return {at.substr(0, line), std::atoi(at.c_str() + line + 1)};
  }
  return {};
}

}  // namespace

bool fault_is_known(const char* kind, std::uintptr_t code) {
  return state().found.size() >= kMostFaults || state().known.contains({kind, code});
}

void note_fault(const char* kind, std::uintptr_t code, const std::string& text) {
  if (fault_is_known(kind, code)) return;
  state().known.insert({kind, code});
  state().found.push_back({Fault{kind, text, "", 0}, code});
}

SourcePlace place_of(std::uintptr_t code) {
  if (code == 0) return {};
  const auto known = state().places.find(code);
  if (known != state().places.end()) return known->second;
  SourcePlace place;
  if (const Image* image = image_at(code)) place = ask_symbolizer(image->path, code - 1 - image->base);
  return state().places[code] = place;
}

std::vector<Fault> faults() {
  std::vector<Fault> list;
  std::set<std::string> seen;
  for (Found& found : state().found) {
    if (found.fault.line == 0) {
      const SourcePlace place = place_of(found.code);
      found.fault.file = place.file;
      found.fault.line = place.line;
    }
    const Fault& fault = found.fault;
    if (fault.line != 0 && !seen.insert(fmt::format("{}:{}:{}", fault.kind, fault.file, fault.line)).second) continue;
    list.push_back(fault);
  }
  return list;
}

void print_new_faults(const std::string& kernel) {
  if (state().printed == state().found.size()) return;
  state().printed = state().found.size();
  for (const Fault& fault : faults()) {
    const std::string place = fault.line ? fmt::format("{}:{}", fault.file, fault.line) : kernel;
    if (!state().printed_places.insert(fault.kind + place).second) continue;
    std::fflush(stdout);
    std::fprintf(stderr, "torquetum: %s: %s: %s\n", place.c_str(), fault.kind.c_str(), fault.text.c_str());
  }
}

}  // namespace tqm::port::cuda
