// Which variables have the same value in every thread of a block, at every point where the threads pass together.
//
// A variable varies where something that varies is assigned to it, where it is assigned under a condition or in a loop
// that threads leave at different times (unless it is declared inside), where its address is taken, or where a call may
// write it. A load varies with its address only: threads that read one address read one value, or they race, and then
// the original is at fault.
#pragma once

#include <set>

#include "port/ir/node.hpp"

namespace tqm::port::passes {

class Uniform {
 public:
  // lanes: one row of threads is looked at; only thread_x and what stands for it varies.
  // iterations: lanes are iterations of one thread's loop; only place_x, which stands for its counter, varies.
  explicit Uniform(const ir::Stmts& body, bool lanes = false, bool iterations = false);
  bool varies(const ir::ExprRef& expr) const;
  bool varies(const ir::VariableRef& variable) const { return varying_.contains(variable); }
  // Someone found a reason of his own; what depends on the variable varies too.
  void add(const ir::VariableRef& variable);
  // Threads leave the loop at different times: by its condition, or a break or return under a varying one.
  bool loop_varies(const ir::Stmt& loop) const;

 private:
  void settle();
  bool visit(const ir::Stmts& stmts, bool under_varying, std::set<ir::VariableRef>& declared_inside);
  bool note(const ir::ExprRef& expr, bool under_varying, const std::set<ir::VariableRef>& inside);
  const ir::Stmts& body_;
  bool lanes_, iterations_;
  std::set<ir::VariableRef> varying_;
};

}  // namespace tqm::port::passes
