// One store where both branches end with one to the same place: if (c) { …; p[i] = a; } else { …; p[i] = b; } becomes
// T stored; if (c) { …; stored = a; } else { …; stored = b; } p[i] = stored. Chains of else if come together likewise.
// Vectors then store once, whole, instead of twice under masks.
#pragma once

#include "port/ir/build.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::passes {

ir::Stmts with_common_stores(const ir::Stmts& stmts, ir::Names& names);

}  // namespace tqm::port::passes
