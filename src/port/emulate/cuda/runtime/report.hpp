// What was found and counted, as a LaunchResult.
#pragma once

#include "port/launch/launch_case.hpp"

namespace tqm::port::cuda {

LaunchResult result_so_far();
void write_report();  // to the file that the options name, if any; at the program's end

}  // namespace tqm::port::cuda
