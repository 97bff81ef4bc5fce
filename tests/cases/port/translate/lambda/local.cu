// Functions without a name, and objects that can be called.
__global__ void doubled_by_lambda(float* x, int n) {
  auto twice = [](float v) { return 2.0f * v; };
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = twice(x[i]);
}

// Captured by value, and by reference to a variable that it changes.
__global__ void captures(const float* in, float* out, int n, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.f;
  const auto add = [&sum, scale](float v) { sum += v * scale; };
  for (int k = 0; k < 3; ++k)
    if (i + k < n) add(in[i + k]);
  out[i] = sum;
}

// A lambda of the kernel handed to a template of the device.
template <class F>
__device__ float reduced(const float* row, int n, float start, F combine) {
  float value = start;
  for (int c = 0; c < n; ++c) value = combine(value, row[c]);
  return value;
}
__global__ void rows_reduced(const float* in, float* most, float* sum, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* at = in + row * columns;
  most[row] = reduced(at, columns, at[0], [](float a, float b) { return fmaxf(a, b); });
  sum[row] = reduced(at, columns, 0.f, [](float a, float b) { return a + b * b; });
}

// Index arithmetic under a name, everything captured by reference.
__global__ void stencil_by_lambda(const float* in, float* out, int height, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  auto at = [&](int dx, int dy) {
    const int c = min(max(x + dx, 0), width - 1), r = min(max(y + dy, 0), height - 1);
    return in[r * width + c];
  };
  if (x < width && y < height) out[y * width + x] = 0.25f * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) - at(0, 0);
}

// Objects with state, one chosen at compile time.
struct Affine {
  float a, b;
  __device__ float operator()(float v) const { return fmaf(a, v, b); }
};
struct Clip {
  float top;
  __device__ float operator()(float v) const { return v > top ? top : v; }
};
template <class First, class Second>
struct Both {
  First first;
  Second second;
  __device__ float operator()(float v) const { return second(first(v)); }
};
__global__ void composed(const float* in, float* out, int n, float a, float b, float top) {
  const Both<Affine, Clip> f{{a, b}, {top}};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = f(in[i]);
}

void run(float* in, float* out, int n) {
  doubled_by_lambda<<<(n + 255) / 256, 256>>>(in, n);
  captures<<<(n + 127) / 128, 128>>>(in, out, n, 0.5f);
  rows_reduced<<<(n / 16 + 63) / 64, 64>>>(in, out, out, n / 16, 16);
  stencil_by_lambda<<<dim3(4, 4), dim3(16, 8)>>>(in, out, 30, 60);
  composed<<<4, 128>>>(in, out, n, 2.f, 1.f, 3.f);
}
