// What ends a program that would not end by itself, and what turns a wild access into an error of CUDA's.
#pragma once

namespace tqm::port::cuda {

void start_limits();  // once: the bound of seconds, and the handlers
bool time_is_up();

}  // namespace tqm::port::cuda
