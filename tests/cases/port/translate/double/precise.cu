// Kernels that compute in double, which becomes float.
__global__ void axpy_double(const double* x, double* y, int n, double a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// float in, float out, double between.
__global__ void means_in_double(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0.0;
  for (int c = 0; c < columns; ++c) sum += static_cast<double>(in[row * columns + c]);
  out[row] = static_cast<float>(sum / columns);
}

// A constant without f makes the whole expression double.
__global__ void half_by_accident(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5 * in[i] + 1.0;
}

__global__ void jacobi_double(const double* in, double* out, int height, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

void run(const double* x, double* y, const float* in, float* out, int n) {
  axpy_double<<<(n + 255) / 256, 256>>>(x, y, n, 1.5);
  means_in_double<<<(n / 30 + 63) / 64, 64>>>(in, out, n / 30, 30);
  half_by_accident<<<(n + 255) / 256, 256>>>(in, out, n);
  jacobi_double<<<dim3(4, 4), dim3(16, 8)>>>(x, y, 20, 40);
}
