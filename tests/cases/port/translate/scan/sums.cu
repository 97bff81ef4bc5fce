// Sums of what comes before.
// Every thread adds what stands ever further to its left; two buffers in turn.
__global__ void two_buffers(const int* in, int* out) {
  __shared__ int s[2][128];
  const int t = threadIdx.x;
  int now = 0;
  s[now][t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int reach = 1; reach < 128; reach <<= 1) {
    s[1 - now][t] = t >= reach ? s[now][t] + s[now][t - reach] : s[now][t];
    now = 1 - now;
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = s[now][t];
}

// A row longer than the block: a carry goes from piece to piece.
__global__ void rows_with_carry(const float* in, float* out, int columns) {
  __shared__ float s[64];
  const float* from = in + blockIdx.x * columns;
  float* to = out + blockIdx.x * columns;
  float carry = 0.f;
  for (int first = 0; first < columns; first += 64) {
    const int c = first + threadIdx.x;
    s[threadIdx.x] = c < columns ? from[c] : 0.f;
    __syncthreads();
    for (int reach = 1; reach < 64; reach *= 2) {
      const float left = threadIdx.x >= reach ? s[threadIdx.x - reach] : 0.f;
      __syncthreads();
      s[threadIdx.x] += left;
      __syncthreads();
    }
    if (c < columns) to[c] = carry + s[threadIdx.x];
    carry += s[63];
    __syncthreads();
  }
}

// Sums begin anew where a flag stands.
__global__ void segmented(const int* in, const int* head, int* out) {
  __shared__ int value[64], flag[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  value[t] = in[i];
  flag[t] = head[i] > 0;
  __syncthreads();
  for (int reach = 1; reach < 64; reach *= 2) {
    int v = value[t], f = flag[t];
    if (t >= reach && !f) {
      v += value[t - reach];
      f = flag[t - reach];
    }
    __syncthreads();
    value[t] = v;
    flag[t] = f;
    __syncthreads();
  }
  out[i] = value[t];
}

// The sums of the blocks are known; each element gets its block's.
__global__ void add_offsets(int* data, const int* offset, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += offset[blockIdx.x];
}

void run(const int* a, const int* b, int* c, const float* in, float* out, int n) {
  two_buffers<<<n / 128, 128>>>(a, c);
  rows_with_carry<<<4, 64>>>(in, out, n);
  segmented<<<n / 64, 64>>>(a, b, c);
  add_offsets<<<(n + 127) / 128, 128>>>(c, a, n);
}
