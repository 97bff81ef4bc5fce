// Refused: TQP2014
__global__ void double_bits(double* x, long long* bits) { bits[threadIdx.x] = __double_as_longlong(x[threadIdx.x]); }
void run(double* x, long long* b) { double_bits<<<1, 32>>>(x, b); }
