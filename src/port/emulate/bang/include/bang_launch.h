// Launches from host code, and the table of kernels of a side.
#pragma once

#include <cstddef>
#include <utility>

#include "bang_types.h"

namespace tqm_bang {

// What hands arguments to a kernel is the host's: its own accesses are not the kernel's.
#define TQM_HOST __attribute__((no_sanitize("thread")))

template <class F>
TQM_HOST void run_closure(void* call) {
  (*static_cast<F*>(call))();
}

// NAME<<<dim, type, queue>>>(arguments) is written as launch_kernel(dim, type, queue, [&] { NAME(arguments); }).
template <class D, class T, class Q, class F>
void launch_kernel(const D& dim, T type, Q, F call) {
  launch({dim.x, dim.y, dim.z}, static_cast<int>(type) / 4, &run_closure<F>, &call);
}

template <auto kernel>
struct Registered;
template <class... P, void (*kernel)(P...)>
struct Registered<kernel> {
  static TQM_HOST void thunk(void** arguments) { call(arguments, std::index_sequence_for<P...>{}); }
  template <std::size_t... I>
  static TQM_HOST void call(void** arguments, std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_cv_t<P>*>(arguments[I])...);
  }
  static constexpr unsigned long sizes[sizeof...(P) + 1] = {sizeof(P)..., 0};
  static constexpr unsigned long parameters = sizeof...(P);
};

}  // namespace tqm_bang

#define TQM_JOIN_(a, b) a##b
#define TQM_JOIN(a, b) TQM_JOIN_(a, b)
#define TQM_REGISTER_KERNEL(name, ...)                                                                    \
  static const ::tqm_bang::Registration TQM_JOIN(tqm_registration_, __COUNTER__)(                         \
      name, &::tqm_bang::Registered<__VA_ARGS__>::thunk, ::tqm_bang::Registered<__VA_ARGS__>::parameters, \
      ::tqm_bang::Registered<__VA_ARGS__>::sizes);
