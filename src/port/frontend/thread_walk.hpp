// What one kernel does: walks its body and those of the device functions it calls, in the user's files.
#pragma once

#include "port/frontend/program.hpp"

namespace clang {
class FunctionDecl;
}

namespace tqm::port {

struct KernelWalk {
  KernelFacts facts;
  std::vector<const clang::FunctionDecl*> followed;  // the kernel, and each of the user's functions that it calls
};

// The function has a body. A template that was not instantiated is walked as far as its names go.
KernelWalk walk_kernel(const clang::FunctionDecl& kernel);

// Those of b join a's, sorted by line; a kernel template has the facts of all its instantiations.
void add_facts(KernelFacts& a, const KernelFacts& b);

}  // namespace tqm::port
