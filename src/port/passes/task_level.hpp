// What all threads of a block do alike, and so stands outside the loops over threads: statements that change variables
// of the task and nothing else.
#pragma once

#include <vector>

#include "port/ir/node.hpp"
#include "port/passes/uniform.hpp"

namespace tqm::port::passes {

class TaskLevel {
 public:
  explicit TaskLevel(const ir::Stmts& body);  // keeps a reference to it
  const Uniform& uniform() const { return uniform_; }
  bool once(const ir::Stmt& stmt) const;
  // Reads anything, writes nothing but uniform local variables.
  bool only_local_effects(const ir::ExprRef& expr) const;
  bool changes_locals_only(const ir::ExprRef& expr) const;

 private:
  bool once(const ir::Stmts& stmts) const;
  bool once_inside(const ir::Stmts& stmts) const;
  bool is_uniform_local(const ir::ExprRef& place) const;
  void place_uniform_variables();
  void look(const ir::Stmts& stmts, std::vector<ir::VariableRef>& found) const;
  void note_changes(const ir::Stmts& stmts, std::vector<ir::VariableRef>& found) const;

  const ir::Stmts& body_;
  Uniform uniform_;
};

}  // namespace tqm::port::passes
