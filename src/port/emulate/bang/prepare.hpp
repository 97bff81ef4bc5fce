// BANG C as text that a C++ compiler takes. The text comes from the preprocessor, so headers of the kernel's own are in
// it, and its line markers keep the places of faults.
//
//   __nram__ float a[64];           thread-local, with an alignment that says which memory: the compiler then asks
//                                   __emutls_get_address for it, and the emulator gives each core its own
//   kernel<<<dim, type, queue>>>(x) tqm_bang::launch_kernel(dim, type, queue, [&] { kernel(x); })
//   asm volatile("sync;")           __sync()
//   __bang_of_another_chip(x)       tqm_bang::absent_call("__bang_of_another_chip", x), a fault when it runs
#pragma once

#include <string>
#include <string_view>

namespace tqm::port::bang {

std::string prepare(std::string_view preprocessed);

}  // namespace tqm::port::bang
