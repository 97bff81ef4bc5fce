// A thread's own struct, float4 or the like becomes a variable a field, so that fields can be followed one by one:
//
//   float4 v = in[i];              float v_x = in[i].x; float v_y = in[i].y; …
//   v.x *= 2;                 →    v_x *= 2;
//   out[i] = v;                    out[i].x = v_x; out[i].y = v_y; …
//
// Only where the struct is never used as a whole but to be copied, and its address is not kept (that of a method's own
// object is seen through).
#pragma once

#include "port/ir/build.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::passes {

ir::Stmts with_scalar_fields(ir::Stmts stmts, ir::Names& names);

}  // namespace tqm::port::passes
