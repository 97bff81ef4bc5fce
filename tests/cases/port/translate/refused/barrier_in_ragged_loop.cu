// Refused: TQP2007
__global__ void barrier_in_ragged_loop(float* x, int n) {
  for (int i = threadIdx.x; i < n; i += 64) {
    x[i] += 1.0f;
    __syncthreads();
  }
}
void run(float* x, int n) { barrier_in_ragged_loop<<<1, 64>>>(x, n); }
