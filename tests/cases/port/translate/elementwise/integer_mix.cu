// Bits and integers only.
__global__ void integer_mix(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = in[i];
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  out[i] = h + __popc(in[i]);
}
void run(const unsigned* in, unsigned* out, int n) { integer_mix<<<(n + 255) / 256, 256>>>(in, out, n); }
