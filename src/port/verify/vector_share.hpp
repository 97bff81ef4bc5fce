// How much of a translation's work the emulator saw in vector calls, products and copies, against scalar code.
#pragma once

#include <span>

#include "port/verify/check_case.hpp"

namespace tqm::port {

struct VectorShare {
  double share = 0;           // of all bytes that were computed on or moved, 0 to 1; 0 where nothing was
  bool scalar_gdram = false;  // scalar code touched the card's memory
  bool counted = false;       // a case has run
};

// Over all cases together, so that those with the most work decide.
VectorShare vector_share(std::span<const CaseVerdict> cases);

// The tier that the counters leave of the one read off the text: 'A' and 'B' need a share of 0.95; less is 'C', or 'D'
// where scalar code touched the card's memory.
char confirmed_tier(char tier, const VectorShare& seen);

}  // namespace tqm::port
