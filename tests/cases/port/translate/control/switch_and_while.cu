__global__ void switch_and_while(const int* kind, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (kind[i] & 3) {
    case 0:
      v = -v;
      break;
    case 1:
      v += 1.0f;  // falls through
    case 2:
      v *= 2.0f;
      break;
    default:
      do {
        v *= 0.5f;
      } while (v > 1.0f);
  }
  int rounds = 0;
  while (true) {
    if (v < 0.1f || rounds == 10) break;
    rounds++;
    if (rounds == 3) continue;
    v -= 0.3f;
  }
  y[i] = v + rounds;
}
void run(const int* k, const float* x, float* y, int n) { switch_and_while<<<(n + 63) / 64, 64>>>(k, x, y, n); }
