// Conditions that the cases given do not show: verify looks for inputs that do.

// n is a multiple of the block in every size given: only another n, or one block more, shows the tail.
__global__ void guarded(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

// No input that anybody would try goes there.
__global__ void hidden(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] + 1.0f;
  if (x[i] == 1234.5678f)
    y[i] = 0.0f;
}

// The compiler sees that the square of a byte is never so large, and that the switch knows every remainder.
__global__ void proven(const unsigned char* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int square = x[i] * x[i];
  if (square > 70000) y[i] = -1;
  switch (x[i] % 3) {
    case 0: y[i] = square; break;
    case 1: y[i] = square + 1; break;
    case 2: y[i] = square + 2; break;
    default: y[i] = 7;
  }
}

void run(const float* x, float* y, const unsigned char* b, int* c, int n) {
  guarded<<<(n + 63) / 64, 64>>>(x, y, n);
  hidden<<<(n + 63) / 64, 64>>>(x, y, n);
  proven<<<(n + 63) / 64, 64>>>(b, c, n);
}
