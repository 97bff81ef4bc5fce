// Remark: TQP2104
__global__ void fast_exponential(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __expf(x[i]);
}
void run(const float* x, float* y, int n) { fast_exponential<<<(n + 63) / 64, 64>>>(x, y, n); }
