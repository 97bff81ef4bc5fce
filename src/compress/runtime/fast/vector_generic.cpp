#include "compress/runtime/fast/vector_ops.hpp"

#define TQM_ISA generic
#define TQM_LANES 4
#include "compress/runtime/fast/vector_ops.inc"
