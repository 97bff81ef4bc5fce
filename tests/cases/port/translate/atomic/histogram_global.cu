__global__ void histogram_global(const unsigned char* data, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}
void run(const unsigned char* d, unsigned* b, int n) { histogram_global<<<(n + 255) / 256, 256>>>(d, b, n); }
