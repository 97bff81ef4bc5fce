// Refused: TQP2011
__device__ float elsewhere(float x);
__global__ void no_body(float* x) { x[threadIdx.x] = elsewhere(x[threadIdx.x]); }
void run(float* x) { no_body<<<1, 32>>>(x); }
