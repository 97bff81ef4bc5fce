// A warp a row: the loops of different warps end at different times.
__global__ void row_per_warp(const float* a, const float* x, float* y, int rows, int cols) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int warps = gridDim.x * blockDim.x / 32;
  int lane = threadIdx.x % 32;
  for (int r = warp; r < rows; r += warps) {
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) sum += a[r * cols + c] * x[c];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffff, sum, o);
    if (lane == 0) y[r] = sum;
  }
}
void run(const float* a, const float* x, float* y, int rows, int cols) { row_per_warp<<<3, 128>>>(a, x, y, rows, cols); }
