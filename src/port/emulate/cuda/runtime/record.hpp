// Launches of a running program written as cases (port/launch): FOLDER/NUMBER-KERNEL/case.json with the content of each
// buffer before the launch. A buffer is an allocation that an argument, or a pointer inside one, points into.
#pragma once

#include "port/emulate/cuda/runtime/block.hpp"

namespace tqm::port::cuda {

// Does nothing where no folder is asked for, or beyond the options' numbers of launches and bytes.
void record_launch(const KernelRow& kernel, const LaunchShape& shape, void** arguments);

}  // namespace tqm::port::cuda
