// One run of one side: a child process with bounds, its outputs and what its emulator found. A side that crashes, hangs
// or leaves nothing readable is an outcome, never an error of ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "port/launch/launch_case.hpp"

namespace tqm::port {

struct SideBounds {
  double seconds = 30;
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;  // resident; looked at while it runs, and at its end
  std::uint64_t file_bytes = std::uint64_t{2} << 30;    // of one file that it writes
  std::uint64_t blocks = 1 << 16;
};

struct SideRun {
  enum class End {
    ran,        // to the end of the launch; outputs are there, faults may be
    faulty,     // the emulator ended the launch at a fault
    crashed,    // a signal, or an exit without a result
    timed_out,  // killed at the bound of time
    too_large,  // killed at the bound of memory
    unreadable  // it ended well and left files that can't be right
  };
  End end = End::crashed;
  std::string text;  // what happened, for a person; empty where it ran
  LaunchResult result;
  std::map<std::string, std::vector<std::byte>> outputs;  // of every buffer
  double seconds = 0;
  bool ran() const { return end == End::ran; }
  const Fault* first_fault() const { return result.faults.empty() ? nullptr : &result.faults.front(); }
};

// `folder` holds the case; what a run before left there is removed. An Error: the side's program can't be started.
Result<SideRun> run_side(const std::filesystem::path& program, const std::filesystem::path& folder,
                         const std::vector<std::string>& options, const SideBounds& bounds);

}  // namespace tqm::port
