__inline__ __device__ float warp_sum(float v) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}
__inline__ __device__ float block_sum(float v) {
  static __shared__ float part[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  v = warp_sum(v);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / warpSize ? part[lane] : 0.0f;
  if (warp == 0) v = warp_sum(v);
  return v;
}
// Sum of squares, finished by an atomic.
__global__ void shuffle_sum(const float* x, float* out, int n) {
  float v = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i] * x[i];
  v = block_sum(v);
  if (threadIdx.x == 0) atomicAdd(out, v);
}
void run(const float* x, float* out, int n) { shuffle_sum<<<8, 256>>>(x, out, n); }
