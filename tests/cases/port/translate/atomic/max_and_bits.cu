__global__ void max_and_bits(const int* x, int* top, int* low, unsigned* seen, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicMax(top, x[i]);
  atomicMin(low, x[i]);
  atomicOr(seen, 1u << (x[i] & 31));
}
void run(const int* x, int* t, int* l, unsigned* s, int n) { max_and_bits<<<(n + 127) / 128, 128>>>(x, t, l, s, n); }
