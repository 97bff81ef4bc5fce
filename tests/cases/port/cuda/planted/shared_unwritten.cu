// uninitialised-read 6
__global__ void half_filled(int* out) {
  __shared__ int s[64];
  if (threadIdx.x < 32) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
int main() {
  int* p;
  cudaMalloc(&p, 64 * sizeof(int));
  half_filled<<<1, 64>>>(p);
}
