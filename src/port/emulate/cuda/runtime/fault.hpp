// What the emulator finds wrong, each kind at each place once, with the line of the source.
//
// Kinds: out-of-bounds, host-memory, misaligned, uninitialised-read, race, implicit-warp-synchrony, divergent-barrier,
// wrong-mask, divergent-warp, deadlock, illegal-address, assert, trap, limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "port/launch/launch_case.hpp"

namespace tqm::port::cuda {

// `code`: an address in device code, the return address of the call that found it; 0: no place.
void note_fault(const char* kind, std::uintptr_t code, const std::string& text);
bool fault_is_known(const char* kind, std::uintptr_t code);  // cheap, before a text is made

// The source line of a place in device code, past what the emulator's own headers put in between.
struct SourcePlace {
  std::string file;
  int line = 0;
};
SourcePlace place_of(std::uintptr_t code);

// All so far, their places filled in.
std::vector<Fault> faults();
// Prints those not printed yet to standard error.
void print_new_faults(const std::string& kernel);

}  // namespace tqm::port::cuda
