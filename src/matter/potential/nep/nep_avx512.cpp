// The kernel for AVX-512: eight doubles at once.
#include "matter/potential/nep/nep_view.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>

#define TQM_ISA avx512
#define TQM_LANES 8
#include "matter/potential/nep/nep_vector.inc"

namespace tqm::matter::nep::avx512 {
namespace {
inline Vector root(Vector x) {
  return _mm512_sqrt_pd(x);
}
}  // namespace
}  // namespace tqm::matter::nep::avx512

#include "matter/potential/nep/nep_kernel.inc"
#endif
