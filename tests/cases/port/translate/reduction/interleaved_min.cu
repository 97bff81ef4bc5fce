// Neighbours first: a modulus instead of a halving bound.
__global__ void interleaved_min(const int* in, int* out, int n) {
  extern __shared__ int s[];
  int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 2147483647;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (tid % (2 * step) == 0) s[tid] = min(s[tid], s[tid + step]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}
void run(const int* in, int* out, int n) { interleaved_min<<<(n + 127) / 128, 128, 128 * 4>>>(in, out, n); }
