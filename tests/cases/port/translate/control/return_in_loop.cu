// The first element of each row above a bound; the search ends there.
__global__ void return_in_loop(const float* x, int* at, int rows, int cols, float bound) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  at[r] = -1;
  for (int c = 0; c < cols; ++c) {
    if (x[r * cols + c] > bound) {
      at[r] = c;
      return;
    }
  }
}
void run(const float* x, int* at, int rows, int cols) { return_in_loop<<<(rows + 31) / 32, 32>>>(x, at, rows, cols, 0.9f); }
