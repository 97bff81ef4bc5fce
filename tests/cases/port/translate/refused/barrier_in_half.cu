// Refused: TQP2007
__global__ void barrier_in_half(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < 32) {
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x];
  }
}
void run(float* x) { barrier_in_half<<<1, 64>>>(x); }
