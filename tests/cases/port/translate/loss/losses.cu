// What training asks for at its end.
__device__ __forceinline__ float square(float v) { return v * v; }

__global__ void mean_square_gradient(const float* guess, const float* truth, float* gradient, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) gradient[i] = 2.f * (guess[i] - truth[i]) / n;
}

// Huber: a parabola near zero, a line beyond.
__global__ void huber(const float* guess, const float* truth, float* loss, int n, float delta) {
  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const float d = fabsf(guess[i] - truth[i]);
    loss[i] = d <= delta ? 0.5f * square(d) : delta * (d - 0.5f * delta);
  }
}

// One thread a row: the logarithm of the sum is taken about the row's largest.
__global__ void cross_entropy(const float* logits, const int* label, float* loss, int rows, int classes) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * classes;
  float top = x[0];
  for (int c = 1; c < classes; ++c) top = fmaxf(top, x[c]);
  float sum = 0.f;
  for (int c = 0; c < classes; ++c) sum += expf(x[c] - top);
  loss[row] = logf(sum) + top - x[label[row]];
}

__global__ void hinge(const float* score, const signed char* side, float* loss, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float margin = 1.f - static_cast<float>(side[i]) * score[i];
  loss[i] = margin > 0.f ? margin : 0.f;
}

// The sum of the squares of one block's share; the host adds up the blocks.
__global__ void square_sum(const float* x, float* part, int n) {
  __shared__ float sums[256];
  float mine = 0.f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) mine += square(x[i]);
  sums[threadIdx.x] = mine;
  __syncthreads();
#pragma unroll
  for (int half = 128; half > 0; half >>= 1) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) part[blockIdx.x] = sums[0];
}

void run(const float* a, const float* b, const int* label, const signed char* side, float* out, int n) {
  mean_square_gradient<<<(n + 255) / 256, 256>>>(a, b, out, n);
  huber<<<8, 128>>>(a, b, out, n, 1.f);
  cross_entropy<<<(n / 10 + 63) / 64, 64>>>(a, label, out, n / 10, 10);
  hinge<<<(n + 255) / 256, 256>>>(a, side, out, n);
  square_sum<<<5, 256>>>(a, out, n);
}
