// What is in this machine: its processor, and the accelerators whose drivers answer. Drivers are asked through their
// own command line tools, or, where only libcuda is there, through a child of our own; Torch is never loaded. A driver
// that does not answer is cut off after a few seconds and named, and never holds the rest up.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chips/chip.hpp"

namespace tqm::chips {

// Where to look; tests give a root and folders of their own.
struct Host {
  std::filesystem::path root = "/";  // holds proc, sys and dev
  std::vector<std::filesystem::path>
      folders;                          // that hold drivers' tools, before those that the catalogue names under root
  std::filesystem::path library_probe;  // torquetum-chips, which asks libcuda in a process of its own; empty: don't ask
  double timeout_seconds = 5;           // for each tool
};

// root "/", the folders of PATH, and the torquetum-chips beside our own binary.
Host this_host();

struct Processor {
  std::string model;
  std::string architecture;   // "x86-64", "AArch64" or what the kernel calls it
  int64_t cores = 0;          // that we may run on
  uint64_t memory_bytes = 0;  // of the machine, or what its control group allows where that is less
  std::vector<std::string>
      features;  // of AVX2, AVX-512, VNNI, BF16, FP16, AMX-INT8, AMX-BF16, NEON, SVE, DOTPROD, I8MM
};

struct Device {
  std::string chip;           // its name in the catalogue; empty: not known to it
  std::string driver_name;    // what the driver calls it; empty where only the device node is there
  std::string found_by;       // "nvidia-smi", "/dev/davinci0"
  uint64_t memory_bytes = 0;  // as the driver reports it, else the catalogue's; 0: not known
};

struct Detection {
  Processor processor;
  std::vector<Device> devices;
  std::vector<std::string> problems;  // drivers that are there and do not answer, a sentence each
};

Processor read_processor(const std::filesystem::path& root);
Detection detect(std::span<const Chip> catalogue, const Host& host);

// Asks libcuda: "name, memory in MiB" a line, as nvidia-smi prints it. Run in a process of its own, for it may hang.
Result<std::string> ask_libcuda();

}  // namespace tqm::chips
