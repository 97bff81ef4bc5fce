// Calls that an MLU370 does not have. Where a kernel's text is made ready, the name of such a call becomes absent_call,
// so that the file compiles and the call is named when it is reached, or by the dialect check before.
#pragma once

#include "bang_types.h"

namespace tqm_bang {

struct Nothing {
  template <class T>
  operator T() const {
    return T{};
  }
};

template <class... A>
inline __attribute__((always_inline)) Nothing absent_call(const char* name, const A&...) {
  absent(name);
  return {};
}

}  // namespace tqm_bang
