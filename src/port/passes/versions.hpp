// An integer that is set anew in a straight line becomes several, one a setting:
//
//   int rest = i;               int rest = i;
//   rest = rest % n;       →    int rest_2 = rest % n;
//   out[rest] = x;              out[rest_2] = x;
//
// so that a value's name says what it is. Only where every setting stands in the list of the declaration itself, not in
// a branch or a loop below.
#pragma once

#include "port/ir/build.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::passes {

ir::Stmts with_versions(const ir::Stmts& stmts, ir::Names& names);

}  // namespace tqm::port::passes
