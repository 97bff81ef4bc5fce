// Ways through a kernel that are not straight.
__global__ void collatz(const unsigned* in, int* steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  int count = 0;
  while (v != 1 && count < 200) {
    v = (v & 1) ? 3 * v + 1 : v / 2;
    ++count;
  }
  steps[i] = count;
}

__global__ void by_operation(const int* code, const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float r;
  switch (code[i]) {
    case 0: r = a[i] + b[i]; break;
    case 1: r = a[i] - b[i]; break;
    case 2:
    case 3: r = a[i] * b[i]; break;
    case 4: {
      const float d = b[i] == 0.f ? 1.f : b[i];
      r = a[i] / d;
      break;
    }
    default: r = -1.f;
  }
  out[i] = r;
}

// The same place is written on every path.
__global__ void three_paths(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float v = in[i];
    if (v < -1.f) {
      out[i] = -1.f;
    } else if (v > 1.f) {
      out[i] = 1.f;
    } else {
      out[i] = v * v * v;
    }
  }
}

// Bisection until it is close enough, at most so often.
__global__ void cube_roots(const float* in, float* out, int n, float close) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float low = 0.f, high = 4.f, middle;
    int left = 40;
    do {
      middle = 0.5f * (low + high);
      if (middle * middle * middle < in[i])
        low = middle;
      else
        high = middle;
    } while (high - low > close && --left > 0);
    out[i] = middle;
  }
}

// Two loops, and a way out of both.
__global__ void first_pair(const int* in, int* out, int rows, int columns, int sum) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int* r = in + row * columns;
  int found = -1;
  for (int a = 0; a < columns && found < 0; ++a) {
    for (int b = a + 1; b < columns; ++b) {
      if (r[a] + r[b] == sum) {
        found = a * columns + b;
        break;
      }
    }
  }
  out[row] = found;
}

void run(const unsigned* u, int* steps, const int* k, const float* a, float* out, int n) {
  collatz<<<(n + 127) / 128, 128>>>(u, steps, n);
  by_operation<<<(n + 127) / 128, 128>>>(k, a, a, out, n);
  three_paths<<<(n + 255) / 256, 256>>>(a, out, n);
  cube_roots<<<4, 64>>>(a, out, n, 1e-5f);
  first_pair<<<(n / 20 + 63) / 64, 64>>>(k, steps, n / 20, 20, 7);
}
