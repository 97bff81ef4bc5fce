// Blocks that hand work to whichever comes last (TQP2105).
__device__ unsigned finished = 0;

// The last block adds up what the others left.
__global__ void sum_in_one(const float* in, float* part, float* out, int n) {
  __shared__ float s[128];
  __shared__ bool last;
  float mine = 0.f;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) mine += in[i];
  s[threadIdx.x] = mine;
  __syncthreads();
  for (int half = 64; half > 0; half >>= 1) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0.f;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += part[b];
    *out = sum;
  }
}

// The ticket lies in memory of the host's, and all of the last block's threads work.
__global__ void largest_in_one(const int* in, int* part, int* out, unsigned* ticket, int n) {
  __shared__ int s[64];
  __shared__ unsigned mine;
  int top = -2147483647 - 1;
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) top = max(top, in[i]);
  s[threadIdx.x] = top;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    mine = atomicAdd(ticket, 1u);
  }
  __syncthreads();
  if (mine != gridDim.x - 1) return;
  int best = -2147483647 - 1;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += 64) best = max(best, part[b]);
  atomicMax(out, best);
}

// Blocks take rows by a counter, one after the other, and not by their number.
__global__ void rows_by_counter(const float* in, float* out, int* next, int rows, int columns) {
  __shared__ int row;
  while (true) {
    if (threadIdx.x == 0) row = atomicAdd(next, 1);
    __syncthreads();
    const int mine = row;
    __syncthreads();
    if (mine >= rows) break;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) out[mine * columns + c] = 2.f * in[mine * columns + c] + mine;
  }
}

// Space is taken from a buffer by a counter; where each lands depends on the order, how many there are does not.
__global__ void taken_space(const int* in, int* out, int* used, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[atomicAdd(used, 1)] = 1;
}

void run(const float* in, float* part, float* out, const int* k, int* o, unsigned* t, int n) {
  sum_in_one<<<5, 128>>>(in, part, out, n);
  largest_in_one<<<6, 64>>>(k, o, o, t, n);
  rows_by_counter<<<3, 64>>>(in, out, o, 10, 50);
  taken_space<<<(n + 127) / 128, 128>>>(k, o, o, n);
}
