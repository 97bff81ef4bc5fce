// How well a kernel uses the chip, read off the code that is emitted and nothing else: A idiom (matrix and pooling
// units), B vector, C scalar on NRAM, D scalar on GDRAM. Work on data is counted by element: a vector call counts each
// element it handles, a scalar operation or access one for each time it runs; loops whose length is not known count as
// 64. Counters and addresses of whole vectors are not work on data. A and B need 95 % of the work in vector calls.
#pragma once

#include <string>

#include "port/ir/node.hpp"

namespace tqm::port::emit {

struct Tier {
  char letter = 'D';
  std::string reason;
  double share = 0;  // of the work that vector calls do
};

Tier tier_of(const ir::Function& entry);

}  // namespace tqm::port::emit
