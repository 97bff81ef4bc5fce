// Where pointers point: through all assignments of a kernel, to GDRAM, to on-chip memory, or to both or nobody knows.
#pragma once

#include <map>

#include "port/ir/node.hpp"

namespace tqm::port::emit {

enum class Space { none, global, on_chip, unknown };

class Spaces {
 public:
  explicit Spaces(const ir::Function& function);
  Space of(const ir::ExprRef& pointer) const;      // what the pointer points to
  Space of_place(const ir::ExprRef& place) const;  // where the place lies

 private:
  bool merge(const ir::VariableRef& variable, Space space);
  std::map<ir::VariableRef, Space> spaces_;
};

}  // namespace tqm::port::emit
