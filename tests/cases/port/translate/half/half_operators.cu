#include <cuda_fp16.h>
// Rounds after each operation, as the type says.
__global__ void half_operators(const half* a, const half* b, half* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    half s = __hadd(a[i], b[i]);
    half p = a[i] * b[i];
    c[i] = __hgt(s, p) ? __hsub(s, p) : __hfma(a[i], b[i], s);
  }
}
void run(const half* a, const half* b, half* c, int n) { half_operators<<<(n + 127) / 128, 128>>>(a, b, c, n); }
