// Numbers that look random, from counters and small generators of the source's own.
__device__ __forceinline__ unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

// Dropout: what is dropped is decided by the place and the seed.
__global__ void dropout(const float* in, float* out, unsigned char* mask, int n, float rate, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float u = (mixed(static_cast<unsigned>(i) + seed) >> 8) * (1.f / 16777216.f);
  const bool keep = u >= rate;
  mask[i] = keep;
  out[i] = keep ? in[i] / (1.f - rate) : 0.f;
}

// xorshift, each thread its own state.
__global__ void xorshift_walk(unsigned* state, int* steps, int n, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = state[i];
  int at = 0;
  for (int k = 0; k < length; ++k) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    at += (s & 1u) ? 1 : -1;
  }
  state[i] = s;
  steps[i] = at;
}

// Points in the quarter circle, by a 64-bit linear generator.
__global__ void points_inside(unsigned* hits, int tries) {
  unsigned long long s = 0x9e3779b97f4a7c15ull * (blockIdx.x * blockDim.x + threadIdx.x + 1);
  unsigned inside = 0;
  for (int k = 0; k < tries; ++k) {
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    const float x = static_cast<unsigned>(s >> 40) * (1.f / 16777216.f);
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    const float y = static_cast<unsigned>(s >> 40) * (1.f / 16777216.f);
    inside += x * x + y * y < 1.f;
  }
  atomicAdd(hits, inside);
}

// Fisher and Yates in one thread a row.
__global__ void shuffled_rows(int* rows, int count, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= count) return;
  int* r = rows + row * width;
  unsigned s = mixed(row + 1u);
  for (int i = width - 1; i > 0; --i) {
    s = mixed(s + i);
    const int j = s % (i + 1);
    const int kept = r[i];
    r[i] = r[j];
    r[j] = kept;
  }
}

void run(const float* in, float* out, unsigned char* mask, unsigned* s, int* k, int n) {
  dropout<<<(n + 255) / 256, 256>>>(in, out, mask, n, 0.3f, 7u);
  xorshift_walk<<<(n + 127) / 128, 128>>>(s, k, n, 20);
  points_inside<<<4, 64>>>(s, 30);
  shuffled_rows<<<(n + 63) / 64, 64>>>(k, n, 12);
}
