// One chip of the catalogue. Every figure carries the address it was read at; what has none is not there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chips/format.hpp"

namespace tqm::chips {

struct Source {
  std::string address;      // of the page that says so
  bool unverified = false;  // only a secondary source says so
  std::string note;         // what the figure holds for; may be empty
};

struct Figure {
  double value = 0;  // bytes, bytes a second, operations a second or a count
  Source source;
};

struct FormatList {
  std::vector<NumberFormat> formats;
  Source source;
};

struct OnChipMemory {
  std::string name;  // "nram"
  std::string per;   // "core", "cluster", "multiprocessor", "chip"
  Figure bytes;
};

// How to ask the driver for its devices.
struct Probe {
  std::string command;  // empty: nothing to ask, as on the host
  std::vector<std::string> arguments;
  enum class Output {
    lines,    // each line that holds one of `matches` is a device
    csv_mib,  // "name, memory in MiB" a line
  } output = Output::lines;
  std::vector<std::string> folders;  // looked in after PATH
  std::string device_node;           // glob; a driver is there if it matches, even without the command
  std::string library;               // asked where the command is missing: libcuda.so.1 is the only one known
  std::vector<std::string> matches;  // parts of the name that the driver gives this chip
  Source source;
};

struct Chip {
  std::string id;  // the file's name without .toml
  std::string name;
  std::vector<std::string> aliases;
  std::string vendor;
  std::string architecture;
  Source architecture_source;
  bool domestic = false;  // made in China
  std::optional<Figure> memory_bytes;
  std::optional<Figure> bandwidth;  // bytes a second
  std::map<NumberFormat, Figure> rates;
  FormatList computes;
  FormatList stores;  // beyond the weight-only integers, which every chip can store
  std::optional<Figure> clusters;
  std::optional<Figure> cores;
  std::optional<Figure> vector_bytes;
  std::optional<Figure> alignment_bytes;
  std::vector<OnChipMemory> on_chip;
  Probe probe;
  std::string torch_module;  // loaded at run time; empty: part of LibTorch
  std::string torch_device;
  std::string scheduler_resource;
};

}  // namespace tqm::chips
