// From Clang's tree to plain data: every kernel of the user's files with what it does, and every launch.
#pragma once

#include "port/frontend/program.hpp"

namespace tqm::port {

Program extract(const Unit& unit);

}  // namespace tqm::port
