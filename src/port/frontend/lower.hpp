// From Clang's tree to ours: every kernel of a parsed file, each instantiation of a template apart, with the device
// functions, records and constants it uses.
//
//   Unit unit = TRY(parse(options));
//   for (const ir::Kernel& kernel : lower(unit)) …
//
// What the translator does not know is never dropped: it becomes a refusal with a number, a line and a reason among
// the kernel's remarks, and the kernel is not translated. double becomes float here, with a warning; printf and assert
// are taken out, with a note.
#pragma once

#include <vector>

#include "port/frontend/parse.hpp"
#include "port/ir/node.hpp"

namespace tqm::port {

std::vector<ir::Kernel> lower(const Unit& unit);

}  // namespace tqm::port
