// Steps of optimisers over flat arrays.
__global__ void momentum_step(float* weight, float* velocity, const float* gradient, int n, float rate, float keep) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  velocity[i] = keep * velocity[i] - rate * gradient[i];
  weight[i] += velocity[i];
}

__device__ float blend(float from, float to, float part) { return fmaf(part, to, fmaf(-part, from, from)); }

__global__ void adam_step(float* weight, const float* gradient, float* m, float* v, long n, float rate, float b1, float b2,
                          float correction1, float correction2, float eps) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = gradient[i];
  const float first = blend(g, m[i], b1), second = blend(g * g, v[i], b2);
  m[i] = first;
  v[i] = second;
  weight[i] -= rate * (first / correction1) / (sqrtf(second / correction2) + eps);
}

// Gradients beyond the bound are scaled down together: the norm was found before.
__global__ void clip_by_norm(float* gradient, const float* norm, size_t n, float bound) {
  const float scale = *norm > bound ? bound / *norm : 1.f;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    gradient[i] *= scale;
}

// Sparse rows: each block takes one row that was touched.
__global__ void sparse_adagrad(float* table, float* sums, const float* gradient, const int* row, int width, float rate) {
  float* weights = table + row[blockIdx.x] * width;
  float* seen = sums + row[blockIdx.x] * width;
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    const float g = gradient[blockIdx.x * width + c];
    seen[c] += g * g;
    weights[c] -= rate * g * rsqrtf(seen[c] + 1e-6f);
  }
}

__global__ void sign_step(float* weight, const float* gradient, float* m, int n, float rate, float decay) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const float c = 0.9f * m[i] + 0.1f * gradient[i];
    const float direction = (c > 0.f) - (c < 0.f);
    weight[i] -= rate * (direction + decay * weight[i]);
    m[i] = 0.99f * m[i] + 0.01f * gradient[i];
  }
}

void run(float* w, const float* g, float* m, float* v, const int* row, int n) {
  momentum_step<<<(n + 255) / 256, 256>>>(w, m, g, n, 0.1f, 0.9f);
  adam_step<<<(n + 511) / 512, 512>>>(w, g, m, v, n, 1e-3f, 0.9f, 0.999f, 0.1f, 0.001f, 1e-8f);
  clip_by_norm<<<4, 256>>>(w, g, n, 1.f);
  sparse_adagrad<<<16, 64>>>(w, v, g, row, 40, 0.1f);
  sign_step<<<6, 128>>>(w, g, m, n, 1e-3f, 0.01f);
}
