// The kernel for any CPU: two doubles at once, which is SSE2 on x86-64.
#include "matter/potential/nep/nep_view.hpp"

#define TQM_ISA generic
#define TQM_LANES 2
#include "matter/potential/nep/nep_vector.inc"

namespace tqm::matter::nep::generic {
namespace {
inline Vector root(Vector x) {
  for (int lane = 0; lane < 2; ++lane) x[lane] = __builtin_sqrt(x[lane]);
  return x;
}
}  // namespace
}  // namespace tqm::matter::nep::generic

#include "matter/potential/nep/nep_kernel.inc"
