// out-of-bounds 5
// Not just behind the end: a row further, where the next allocation would begin if they lay side by side.
__global__ void copy_rows(const float* in, float* out, int columns) {
  const int row = blockIdx.x, column = threadIdx.x;
  out[row * columns + column] = in[(row + 1) * columns + column];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 4 * 700 * sizeof(float));
  cudaMalloc(&out, 4 * 700 * sizeof(float));
  cudaMemset(in, 0, 4 * 700 * sizeof(float));
  cudaMemset(out, 0, 4 * 700 * sizeof(float));
  copy_rows<<<4, 700>>>(in, out, 700);
  return cudaDeviceSynchronize();
}
