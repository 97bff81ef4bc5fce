// Remark: TQP2103
#include <cassert>
__global__ void assertion(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(n > 0);
  if (i < n) y[i] = x[i] + n;
}
void run(const int* x, int* y, int n) { assertion<<<(n + 63) / 64, 64>>>(x, y, n); }
