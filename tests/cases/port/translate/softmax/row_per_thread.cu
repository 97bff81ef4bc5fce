__global__ void row_per_thread(const float* in, float* out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    const float* x = in + r * cols;
    float* y = out + r * cols;
    float top = -INFINITY;
    for (int c = 0; c < cols; ++c)
      if (x[c] > top) top = x[c];
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) {
      y[c] = expf(x[c] - top);
      sum += y[c];
    }
    for (int c = 0; c < cols; ++c) y[c] /= sum;
  }
}
void run(const float* in, float* out, int rows, int cols) { row_per_thread<<<(rows + 31) / 32, 32>>>(in, out, rows, cols); }
