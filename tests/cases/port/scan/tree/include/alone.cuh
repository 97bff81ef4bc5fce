// A header that no source includes: it is read alone.
#pragma once
__global__ void alone(int* x) { x[threadIdx.x] = threadIdx.x; }
