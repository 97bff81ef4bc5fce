// The kernel for AVX2 and FMA: four doubles at once.
#include "matter/potential/nep/nep_view.hpp"

#if defined(__AVX2__)
#include <immintrin.h>

#define TQM_ISA avx2
#define TQM_LANES 4
#include "matter/potential/nep/nep_vector.inc"

namespace tqm::matter::nep::avx2 {
namespace {
inline Vector root(Vector x) {
  return _mm256_sqrt_pd(x);
}
}  // namespace
}  // namespace tqm::matter::nep::avx2

#include "matter/potential/nep/nep_kernel.inc"
#endif
