// Kernels as most programs have them, one of each kind.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__constant__ float weights[16];

__global__ void saxpy(float* __restrict__ y, const float* __restrict__ x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void scale_in_strides(float4* x, float a, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = x[i];
    v.x *= a;
    v.y *= a;
    x[i] = v;
  }
}

template <typename T, int kSize>
__global__ void block_sum(T* out, const T* in, int n) {
  __shared__ T part[kSize];
  T sum = 0;
  for (int i = blockIdx.x * kSize + threadIdx.x; i < n; i += gridDim.x * kSize) sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kSize / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__device__ float warp_max(float v) {
  for (int lane = 16; lane > 0; lane /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, lane));
  return v;
}

__global__ void softmax_row(float* y, const float* x, int columns) {
  const float* row = x + blockIdx.x * columns;
  float most = -1e30f, sum = 0;
  for (int c = threadIdx.x; c < columns; c += 32) most = fmaxf(most, row[c]);
  most = warp_max(most);
  for (int c = threadIdx.x; c < columns; c += 32) sum += expf(row[c] - most);
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xffffffff, sum, lane);
  for (int c = threadIdx.x; c < columns; c += 32) y[blockIdx.x * columns + c] = expf(row[c] - most) / sum;
}

__global__ void tiled_product(float* c, const float* a, const float* b, int n) {
  __shared__ float s[16][16], t[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    s[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += s[threadIdx.y][i] * t[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void transpose(float* y, const float* x, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = x[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  y[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void gather(float* y, const float* x, const int* at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[at[i]] * weights[i & 15];
}

__global__ void count_values(int* counts, const int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1);
}

__global__ void halves(half* y, const half* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __hadd(x[i], x[i]);
}

__global__ void row_sums(float* y, const float* x, int columns) {
  extern __shared__ float dynamic[];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];
  dynamic[threadIdx.x] = sum;
  y[row] = dynamic[threadIdx.x];
}

#define LAUNCH(kernel, ...) kernel<<<grid, 256>>>(__VA_ARGS__)

void run(float* x, float* y, int* z, half* h, double* d, int n, cudaStream_t stream) {
  dim3 grid((n + 255) / 256);
  saxpy<<<grid, 256>>>(y, x, 2.0f, n);
  LAUNCH(scale_in_strides, (float4*)x, 2.0f, (size_t)n);
  block_sum<float, 256><<<32, 256>>>(y, x, n);
  block_sum<double, 128><<<32, 128>>>(d, d, n);
  softmax_row<<<n, 32, 0, stream>>>(y, x, n);
  tiled_product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(y, x, x, n);
  transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(y, x, n);
  gather<<<grid, 256>>>(y, x, z, n);
  count_values<<<grid, 256>>>(z, z, n);
  halves<<<grid, 256>>>(h, h);
  void* arguments[] = {&y, &x, &n};
  cudaLaunchKernel((const void*)row_sums, grid, dim3(256), arguments, 1024, stream);
}
