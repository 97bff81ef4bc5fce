#include "base/cpu_features.hpp"
#include "matter/potential/nep/nep_view.hpp"

namespace tqm::matter::nep {

Result<Kernel> fastest_kernel() {
  const CpuFeatures features = TRY(usable_features());
#if defined(__x86_64__)
  if (features.avx512) return &avx512::evaluate;
  if (features.avx2) return &avx2::evaluate;
#endif
  (void)features;
  return &generic::evaluate;
}

}  // namespace tqm::matter::nep
