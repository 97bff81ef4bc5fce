// Launches from host code, and the table of kernels of a side.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "bang_types.h"

namespace tqm_bang {

// What hands arguments to a kernel is the host's: its own accesses are not the kernel's.
#define TQM_HOST __attribute__((no_sanitize("thread")))

// NAME<<<dim, type, queue>>>(arguments) is written as configured(NAME, dim, type, queue)(arguments).
template <class... P>
struct Configured {
  void (*kernel)(P...);
  Dim dim;
  int clusters;

  template <class... A>
  void operator()(A&&... arguments) const {
    struct Closure {
      void (*kernel)(P...);
      std::tuple<std::remove_cv_t<P>...> values;
    } closure{kernel, {static_cast<P>(arguments)...}};
    launch(dim, clusters, &Configured::template run<Closure>, &closure);
  }

  template <class Closure>
  static TQM_HOST void run(void* data) {
    call(*static_cast<Closure*>(data), std::index_sequence_for<P...>{});
  }
  template <class Closure, std::size_t... I>
  static TQM_HOST void call(Closure& closure, std::index_sequence<I...>) {
    closure.kernel(std::get<I>(closure.values)...);
  }
};

template <class... P, class D, class T, class Q>
Configured<P...> configured(void (*kernel)(P...), const D& dim, T type, Q) {
  return {kernel, {dim.x, dim.y, dim.z}, static_cast<int>(type) / 4};
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
