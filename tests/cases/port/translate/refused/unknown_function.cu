// Refused: TQP2002
__global__ void unknown_function(float* x) { x[threadIdx.x] = not_declared(x[threadIdx.x]); }
void run(float* x) { unknown_function<<<1, 32>>>(x); }
