#include "compress/runtime/fast/vector_ops.hpp"

#if defined(__AVX512F__)
#define TQM_ISA avx512
#define TQM_LANES 16
#include "compress/runtime/fast/vector_ops.inc"
#endif
