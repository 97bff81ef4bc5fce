#include "compress/runtime/fast/vector_ops.hpp"

#if defined(__AVX2__)
#define TQM_ISA avx2
#define TQM_LANES 8
#include "compress/runtime/fast/vector_ops.inc"
#endif
