// Norms over groups, batches and rows of half.
#include <cuda_fp16.h>

__global__ void group_norm(const float* in, float* out, int group, float eps) {
  __shared__ float sums[64], squares[64];
  const float* x = in + blockIdx.x * group;
  float sum = 0.f, square = 0.f;
  for (int i = threadIdx.x; i < group; i += 64) {
    sum += x[i];
    square += x[i] * x[i];
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
  const float mean = sums[0] / group;
  const float scale = 1.f / sqrtf(squares[0] / group - mean * mean + eps);
  for (int i = threadIdx.x; i < group; i += 64) out[blockIdx.x * group + i] = (x[i] - mean) * scale;
}

// The figures of each channel were found in training.
__global__ void batch_norm(float* x, const float* mean, const float* variance, const float* gamma, const float* beta,
                           int channels, int area, float eps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int channel = blockIdx.y % channels;
  if (i >= area) return;
  float* at = x + blockIdx.y * area + i;
  *at = gamma[channel] * (*at - mean[channel]) / sqrtf(variance[channel] + eps) + beta[channel];
}

// The largest of a row scales it.
__global__ void scale_by_largest(const __half* in, __half* out, float* scales, int columns) {
  __shared__ float most[32];
  float top = 0.f;
  for (int c = threadIdx.x; c < columns; c += 32) top = fmaxf(top, fabsf(__half2float(in[blockIdx.x * columns + c])));
  most[threadIdx.x] = top;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 32; ++i) most[0] = fmaxf(most[0], most[i]);
    scales[blockIdx.x] = most[0];
  }
  __syncthreads();
  const float by = most[0] > 0.f ? 1.f / most[0] : 0.f;
  for (int c = threadIdx.x; c < columns; c += 32)
    out[blockIdx.x * columns + c] = __float2half(__half2float(in[blockIdx.x * columns + c]) * by);
}

void run(const float* in, float* out, const __half* h, __half* g, int n) {
  group_norm<<<6, 64>>>(in, out, n, 1e-5f);
  batch_norm<<<dim3((n + 127) / 128, 6), 128>>>(out, in, in, in, in, 3, n, 1e-5f);
  scale_by_largest<<<6, 32>>>(h, g, out, n);
}
