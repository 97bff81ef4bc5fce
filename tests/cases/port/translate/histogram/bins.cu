// Counts in bins, shared out in different ways.
// A histogram a warp in shared memory, added up at the end.
__global__ void warps_apart(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned counts[4][64];
  for (int i = threadIdx.x; i < 4 * 64; i += blockDim.x) counts[i / 64][i % 64] = 0;
  __syncthreads();
  const int warp = threadIdx.x / 32;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&counts[warp][in[i] >> 2], 1u);
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned sum = 0;
    for (int w = 0; w < 4; ++w) sum += counts[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
  }
}

// Values of floats between two bounds; what lies outside goes to the ends.
__global__ void clamped_bins(const float* in, int* bins, int n, float low, float high, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float place = (in[i] - low) / (high - low) * count;
  int bin = static_cast<int>(floorf(place));
  bin = bin < 0 ? 0 : bin >= count ? count - 1 : bin;
  atomicAdd(bins + bin, 1);
}

// No atomics: each thread owns one bin and reads everything.
__global__ void owned_bins(const int* in, int* bins, int n, int count) {
  const int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= count) return;
  int found = 0;
  for (int i = 0; i < n; ++i)
    if (in[i] == bin) ++found;
  bins[bin] = found;
}

// Pairs of values, weighted.
__global__ void joint_bins(const int* a, const int* b, const int* weight, int* bins, int n, int side) {
  extern __shared__ int part[];
  for (int i = threadIdx.x; i < side * side; i += blockDim.x) part[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&part[a[i] * side + b[i]], weight[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < side * side; i += blockDim.x)
    if (part[i] != 0) atomicAdd(&bins[i], part[i]);
}

void run(const unsigned char* c, unsigned* u, const float* f, const int* k, int* bins, int n) {
  warps_apart<<<3, 128>>>(c, u, n);
  clamped_bins<<<(n + 127) / 128, 128>>>(f, bins, n, -2.f, 2.f, 20);
  owned_bins<<<1, 64>>>(k, bins, n, 50);
  joint_bins<<<3, 96, 36 * sizeof(int)>>>(k, k, k, bins, n, 6);
}
