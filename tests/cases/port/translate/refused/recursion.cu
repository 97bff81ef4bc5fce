// Refused: TQP2005
__device__ int depth(int n) { return n <= 1 ? 1 : depth(n / 2) + depth(n - n / 2); }
__global__ void recursion(int* out) { out[threadIdx.x] = depth(threadIdx.x); }
void run(int* out) { recursion<<<1, 32>>>(out); }
