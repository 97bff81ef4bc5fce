// Kernels with launches in elementwise.toml: two that a translation can agree with, and one that is itself at fault.
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void reverse_rows(const int* in, int* out, int rows, int columns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += gridDim.x * blockDim.x) {
    int row = i / columns;
    int column = i % columns;
    out[row * columns + columns - 1 - column] = in[i];
  }
}

__global__ void block_sum(const float* x, float* sums, int n) {
  __shared__ float part[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void reads_past_the_end(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i + 1];
}
