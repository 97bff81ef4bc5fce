// A leaky ramp, cut off above: a condition inside a condition.
__global__ void leaky_clip(float* x, int n, float slope, float top) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    float v = x[i];
    if (v < 0.0f)
      v *= slope;
    else if (v > top)
      v = top;
    x[i] = v;
  }
}
void run(float* x, int n) { leaky_clip<<<(n + 255) / 256, 256>>>(x, n, 0.1f, 6.0f); }
