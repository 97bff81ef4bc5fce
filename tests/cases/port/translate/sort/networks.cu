// Orders within a block.
// Bitonic: each step compares places that differ in one bit.
__global__ void bitonic_shared(const int* in, int* out) {
  __shared__ int keys[256];
  const int t = threadIdx.x;
  keys[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int width = 2; width <= 256; width *= 2) {
    for (int step = width / 2; step > 0; step /= 2) {
      const int other = t ^ step;
      if (other > t) {
        const bool rising = (t & width) == 0;
        const int a = keys[t], b = keys[other];
        if ((a > b) == rising) {
          keys[t] = b;
          keys[other] = a;
        }
      }
      __syncthreads();
    }
  }
  out[blockIdx.x * 256 + t] = keys[t];
}

// Odd and even neighbours in turn.
__global__ void odd_even(float* keys, int n) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = keys[blockIdx.x * n + i];
  __syncthreads();
  for (int round = 0; round < n; ++round) {
    for (int i = 2 * threadIdx.x + round % 2; i + 1 < n; i += 2 * blockDim.x) {
      if (s[i] > s[i + 1]) {
        const float kept = s[i];
        s[i] = s[i + 1];
        s[i + 1] = kept;
      }
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) keys[blockIdx.x * n + i] = s[i];
}

// Each thread counts how many come before its key.
__global__ void rank_sort(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < key || (in[j] == key && j < i);
  out[rank] = key;
}

// The largest of each row and where it stands, lowest place first.
__global__ void top_1(const float* in, float* value, int* place, int columns) {
  __shared__ float best[64];
  __shared__ int where[64];
  const int t = threadIdx.x;
  const float* row = in + blockIdx.x * columns;
  float mine = -3.4e38f;
  int at = columns;
  for (int c = t; c < columns; c += 64) {
    if (row[c] > mine) {
      mine = row[c];
      at = c;
    }
  }
  best[t] = mine;
  where[t] = at;
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (t < half) {
      const bool better = best[t + half] > best[t] || (best[t + half] == best[t] && where[t + half] < where[t]);
      if (better) {
        best[t] = best[t + half];
        where[t] = where[t + half];
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    value[blockIdx.x] = best[0];
    place[blockIdx.x] = where[0];
  }
}

// Bits from the lowest: a stable split by each, places found by a sum in front.
__global__ void radix_block(unsigned* keys) {
  __shared__ unsigned from[128], to[128];
  __shared__ int before[128];
  const int t = threadIdx.x;
  from[t] = keys[blockIdx.x * 128 + t];
  __syncthreads();
  for (int bit = 0; bit < 8; ++bit) {
    const int zero = ((from[t] >> bit) & 1u) == 0;
    before[t] = zero;
    __syncthreads();
    for (int reach = 1; reach < 128; reach *= 2) {
      const int more = t >= reach ? before[t - reach] : 0;
      __syncthreads();
      before[t] += more;
      __syncthreads();
    }
    const int zeros = before[127];
    const int place = zero ? before[t] - 1 : zeros + t - before[t];
    to[place] = from[t];
    __syncthreads();
    from[t] = to[t];
    __syncthreads();
  }
  keys[blockIdx.x * 128 + t] = from[t];
}

void run(int* a, int* b, float* f, unsigned* u, int n) {
  bitonic_shared<<<n / 256, 256>>>(a, b);
  odd_even<<<3, 64, n * sizeof(float)>>>(f, n);
  rank_sort<<<(n + 127) / 128, 128>>>(a, b, n);
  top_1<<<8, 64>>>(f, f, b, n);
  radix_block<<<n / 128, 128>>>(u);
}
