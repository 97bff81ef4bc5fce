// What the compiled kernels tell of themselves before main: their names and the chip that they were compiled for.
#pragma once

#include <map>
#include <string>
#include <tqm_bang.h>
#include <vector>

#include "port/emulate/bang/runtime/arena.hpp"

namespace tqm::port::bang {

struct Kernel {
  tqm_bang::Thunk thunk = nullptr;
  std::vector<std::size_t> parameter_bytes;
};

struct Registry {
  std::map<std::string, Kernel> kernels;
  ChipFigures chip;
  std::string header_folder;
};

Registry& registry();

}  // namespace tqm::port::bang
