// Refused: TQP2023
__global__ void exception(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) throw 1;
  y[i] = x[i];
}
void run(const float* x, float* y, int n) { exception<<<1, 64>>>(x, y, n); }
