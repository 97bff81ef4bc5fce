// What the emulator found wrong, each kind and place once. A place is a return address in the kernel's code; it becomes
// file and line at the end, by one run of llvm-symbolizer, so that finding a fault costs nothing while the kernel runs.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "port/launch/launch_case.hpp"

namespace tqm::port::bang {

// The kinds, the words of docs/port.md.
inline constexpr const char* kOutOfBounds = "out-of-bounds";
inline constexpr const char* kOverflow = "memory-overflow";  // more variables than the chip has room for
inline constexpr const char* kWrongSpace = "wrong-space";
inline constexpr const char* kDirection = "copy-direction";
inline constexpr const char* kAlignment = "alignment";
inline constexpr const char* kUninitialised = "uninitialised-read";
inline constexpr const char* kOverlap = "overlap";
inline constexpr const char* kMissingSync = "missing-sync";
inline constexpr const char* kRace = "race";
inline constexpr const char* kBarrier = "barrier-never-met";
inline constexpr const char* kNotOnChip = "not-on-chip";
inline constexpr const char* kArgument = "argument";  // a count, stride or segment number that the call forbids
inline constexpr const char* kDomain = "domain";      // outside the range of an approximate function
inline constexpr const char* kWramLayout = "wram-layout";
inline constexpr const char* kWrongCore = "wrong-core";
inline constexpr const char* kAssertion = "assertion";
inline constexpr const char* kTrap =
    "trap";  // the kernel did what ends a process: an integer divided by zero, a wild jump
inline constexpr const char* kTaskType = "task-type";

class Faults {
 public:
  // A number for a place, and back: small enough to be kept for every four bytes of memory.
  std::uint32_t site(const void* place);
  // A place or a variable inside a message; resolved with the rest.
  std::string at(std::uint32_t site) const;
  std::string at(const void* place) { return at(site(place)); }
  static std::string variable(const void* control);

  void add(const char* kind, const void* place, std::string text);
  bool empty() const { return faults_.empty(); }

  // With file, line and names; header_folder holds the look-alike headers, whose lines are nobody's fault.
  std::vector<Fault> resolved(const std::string& header_folder) const;

 private:
  struct Found {
    const char* kind;
    const void* place;
    std::string text;
  };
  std::vector<Found> faults_;
  std::set<std::pair<std::string, const void*>> seen_;
  std::vector<const void*> sites_{nullptr};
  std::map<const void*, std::uint32_t> numbers_;
};

}  // namespace tqm::port::bang
