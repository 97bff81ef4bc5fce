// Remark: TQP2101
// 0.1 is no float: in double the products would be rounded otherwise, and so would the comparison.
__global__ void double_constant(const double* x, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double scaled = x[i] * 0.1 + 0.7;
  y[i] = scaled > 1.3 ? exp(-scaled) : scaled * 1e-3;
}
void run(const double* x, double* y, int n) { double_constant<<<(n + 63) / 64, 64>>>(x, y, n); }
