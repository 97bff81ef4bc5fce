// Which way the conditions of a side's kernel went.
#pragma once

#include <vector>

#include "port/emulate/cuda/runtime/image.hpp"
#include "port/launch/branch.hpp"

namespace tqm::port::cuda {

// Those that the launch came to, by their places in the image's table.
std::vector<Branch> branches_met(const Image& image);

}  // namespace tqm::port::cuda
