// Blocks that hand work to each other within one launch: the last one to come, told by an atomic counter behind a
// fence, reads what the others left. Tasks that run side by side have no order of their own for that, so one task runs
// all.
#pragma once

#include "port/ir/node.hpp"

namespace tqm::port {

constexpr int kHandOver = 2105;

// Each fence of the whole device was noted as kHandOver when it was lowered; without an atomic whose old value is used,
// nobody can be told that it is the last, and the notes go.
void judge_hand_over(ir::Kernel& kernel);

}  // namespace tqm::port
