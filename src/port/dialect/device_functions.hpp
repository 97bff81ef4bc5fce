// The functions of a .mlu text that a kernel can be made of: those marked __mlu_entry__, __mlu_global__, __mlu_func__
// or
// __mlu_device__, with a body.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "port/dialect/tokens.hpp"

namespace tqm::port::dialect {

struct DeviceFunction {
  std::string name;
  std::size_t begin = 0;  // tokens: from its mark to its closing brace
  std::size_t body = 0;
  std::size_t end = 0;
};

std::vector<DeviceFunction> device_functions(const std::vector<Token>& tokens);

}  // namespace tqm::port::dialect
