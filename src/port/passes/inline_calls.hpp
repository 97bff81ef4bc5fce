// Puts the bodies of device functions where they are called: of all that `chosen` names, with those they call first.
#pragma once

#include <functional>

#include "port/ir/node.hpp"

namespace tqm::port::passes {

ir::Function inline_calls(const ir::Function& function, const std::function<bool(const ir::Function&)>& chosen);

// It asks for its thread or block, meets other threads, or has shared memory of its own: it can't stay a function of
// one thread. Looks through the functions it calls.
bool needs_its_threads(const ir::Function& function);

}  // namespace tqm::port::passes
