// Work that is mostly index arithmetic.
// Axes in another order, strides handed over as numbers.
__global__ void permute_3(const float* in, float* out, int d0, int d1, int d2, int s0, int s1, int s2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= d0 * d1 * d2) return;
  const int c = i % d2, b = i / d2 % d1, a = i / (d1 * d2);
  out[i] = in[a * s0 + b * s1 + c * s2];
}

__global__ void join_columns(const float* left, const float* right, float* out, int rows, int l, int r) {
  const int total = rows * (l + r);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const int row = i / (l + r), c = i - row * (l + r);
    out[i] = c < l ? left[row * l + c] : right[row * r + (c - l)];
  }
}

// A frame around a picture, its border mirrored.
__global__ void mirror_pad(const float* in, float* out, int height, int width, int pad) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width + 2 * pad || y >= height + 2 * pad) return;
  int from_x = abs(x - pad), from_y = abs(y - pad);
  if (from_x >= width) from_x = 2 * width - 2 - from_x;
  if (from_y >= height) from_y = 2 * height - 2 - from_y;
  out[y * (width + 2 * pad) + x] = in[from_y * width + from_x];
}

__global__ void roll(const int* in, int* out, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[((i + by) % n + n) % n] = in[i];
}

// The lower triangle, packed: the row is found from the place by a root and put right after.
__global__ void pack_triangle(const float* in, float* out, int n) {
  const int total = n * (n + 1) / 2;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  int row = static_cast<int>((sqrtf(8.f * i + 1.f) - 1.f) / 2.f);
  while (row * (row + 1) / 2 > i) --row;
  while ((row + 1) * (row + 2) / 2 <= i) ++row;
  out[i] = in[row * n + (i - row * (row + 1) / 2)];
}

// Division of negative numbers, shifts and remainders by what is only known at run time.
__global__ void odd_divisions(const int* in, int* out, int n, int by) {
  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  for (long long i = first; i < n; i += (long long)gridDim.x * blockDim.x) {
    const int v = in[i];
    const unsigned u = (unsigned)v;
    out[i] = v / by + v % by + (v >> 3) + (int)(u / 7u) - (int)(u % 5u) + (int)__umulhi(u, 9u);
  }
}

void run(const float* in, float* out, const int* k, int* o, int n) {
  permute_3<<<(n + 127) / 128, 128>>>(in, out, 4, 5, 6, 6, 24, 1);
  join_columns<<<5, 64>>>(in, in, out, 7, 10, 13);
  mirror_pad<<<dim3(4, 4), dim3(16, 8)>>>(in, out, 20, 40, 3);
  roll<<<(n + 255) / 256, 256>>>(k, o, n, -5);
  pack_triangle<<<(n + 127) / 128, 128>>>(in, out, 30);
  odd_divisions<<<4, 128>>>(k, o, n, 13);
}
