// Maximum and sum by a tree in shared memory.
__global__ void row_per_block(const float* in, float* out, int cols) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  const float* x = in + blockIdx.x * cols;
  float top = -INFINITY;
  for (int c = t; c < cols; c += blockDim.x) top = fmaxf(top, x[c]);
  s[t] = top;
  __syncthreads();
  for (int step = blockDim.x / 2; step >= 1; step /= 2) {
    if (t < step) s[t] = fmaxf(s[t], s[t + step]);
    __syncthreads();
  }
  top = s[0];
  __syncthreads();
  float sum = 0.0f;
  for (int c = t; c < cols; c += blockDim.x) {
    float e = expf(x[c] - top);
    out[blockIdx.x * cols + c] = e;
    sum += e;
  }
  s[t] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step >= 1; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  sum = s[0];
  for (int c = t; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] /= sum;
}
void run(const float* in, float* out, int rows, int cols) { row_per_block<<<rows, 128>>>(in, out, cols); }
