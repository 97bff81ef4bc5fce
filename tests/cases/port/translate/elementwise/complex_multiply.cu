// Products of complex numbers that lie as pairs.
__global__ void complex_multiply(const float2* a, const float2* b, float2* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 p = a[i], q = b[i];
    c[i] = make_float2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
  }
}
void run(const float2* a, const float2* b, float2* c, int n) { complex_multiply<<<(n + 63) / 64, 64>>>(a, b, c, n); }
