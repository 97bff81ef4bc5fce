// Where the threads of a block or of a warp meet.
#pragma once

#include "port/ir/node.hpp"

namespace tqm::port::passes {

bool is_loop(const ir::Stmt& stmt);
bool meeting(const ir::Expr& expr);        // a warp operation, or a barrier that gives a value
bool meets(const ir::Stmts& stmts);        // a barrier or a meeting is in it
bool has_barrier(const ir::Stmts& stmts);  // of the block

}  // namespace tqm::port::passes
