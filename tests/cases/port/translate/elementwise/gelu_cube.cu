#include <math.h>

// The cube by pow, as frameworks of old wrote it.
__global__ void gelu_cube(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float inner = 0.79788456f * (x[i] + 0.044715f * powf(x[i], 3.0f));
    y[i] = 0.5f * x[i] * (1.0f + tanhf(inner));
  }
}
