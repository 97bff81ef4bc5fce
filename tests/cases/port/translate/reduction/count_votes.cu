// How many elements of a block are positive, by one barrier that counts.
__global__ void count_votes(const float* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int positive = __syncthreads_count(i < n && x[i] > 0.0f);
  if (threadIdx.x == 0) out[blockIdx.x] = positive;
}
void run(const float* x, int* out, int n) { count_votes<<<(n + 63) / 64, 64>>>(x, out, n); }
