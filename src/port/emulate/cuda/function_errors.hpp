// Functions whose result a card may give a few units in the last place off: the largest error of each in single
// precision, as the CUDA C++ Programming Guide lists it ("Mathematical Functions"). A side asked for them gives results
// that are as far off, to show how much of an output hangs on them.
#pragma once

// clang-format off
#define TQM_FUNCTIONS_OF_ONE(WITH) \
  WITH(expf, 2) WITH(exp2f, 2) WITH(expm1f, 1) WITH(logf, 1) WITH(log2f, 1) WITH(log10f, 2) WITH(log1pf, 1) \
  WITH(sinf, 2) WITH(cosf, 2) WITH(tanf, 4) WITH(asinf, 2) WITH(acosf, 2) WITH(atanf, 2) WITH(sinhf, 3) \
  WITH(coshf, 2) WITH(tanhf, 2) WITH(asinhf, 3) WITH(acoshf, 4) WITH(atanhf, 3) WITH(erff, 2) WITH(erfcf, 4) \
  WITH(lgammaf, 6) WITH(tgammaf, 5) WITH(cbrtf, 1)
#define TQM_FUNCTIONS_OF_TWO(WITH) WITH(powf, 4) WITH(atan2f, 3) WITH(hypotf, 3)
// clang-format on
