// Remark: TQP2102
#include <cstdio>
__global__ void print(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] < 0) printf("%d: %d\n", i, x[i]);
  y[i] = x[i] * 3;
}
void run(const int* x, int* y, int n) { print<<<(n + 63) / 64, 64>>>(x, y, n); }
