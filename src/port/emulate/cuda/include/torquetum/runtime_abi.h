// What device code asks of the emulator's shared library. Masks name lanes of the warp; a call returns when every lane
// that the mask names and that has not ended has come to the same call.
#pragma once

#include "torquetum/qualifiers.h"

#ifdef __cplusplus
#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif
extern "C" {
#define TQM_MEETING __attribute__((convergent))
TQM_MEETING void __syncthreads(void);
TQM_MEETING int __syncthreads_count(int predicate);
TQM_MEETING int __syncthreads_and(int predicate);
TQM_MEETING int __syncthreads_or(int predicate);
TQM_MEETING void tqm_cuda_syncwarp(unsigned mask);
// kind: 0 from lane `lane` of the segment, 1 up by, 2 down by, 3 xor. width: 1, 2, 4 … 32.
TQM_MEETING unsigned long long tqm_cuda_shuffle(unsigned mask, unsigned long long value, int kind, unsigned lane,
                                                int width);
TQM_MEETING unsigned tqm_cuda_ballot(unsigned mask, int predicate);
// The lanes of the mask with the same value; with all != 0: the mask where all have it, else 0.
TQM_MEETING unsigned tqm_cuda_match(unsigned mask, unsigned long long value, int all);
// kind: 0 add, 1 min, 2 max, 3 signed min, 4 signed max, 5 and, 6 or, 7 xor; over 32 bits.
TQM_MEETING unsigned tqm_cuda_reduce(unsigned mask, unsigned value, int kind);
// The lanes that come to this place together: those that have not ended and stand nowhere else.
TQM_MEETING unsigned __activemask(void);
TQM_MEETING void tqm_cuda_grid_sync(void);
int tqm_cuda_grid_is_cooperative(void);
int tqm_cuda_lane(void);
unsigned tqm_cuda_dynamic_shared_bytes(void);
long long tqm_cuda_clock(void);
void tqm_cuda_yield(void);
// After an atomic operation that changed nothing, as a thread does that waits for another: now and then others go on.
void tqm_cuda_waited(void);
void tqm_cuda_trap(void);
float tqm_cuda_rsqrtf(float x);
unsigned tqm_cuda_is_space(const void* p);  // bits: 1 global, 2 shared, 4 local, 8 constant
}
#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif
#endif
