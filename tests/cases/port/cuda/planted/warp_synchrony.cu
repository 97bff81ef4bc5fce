// implicit-warp-synchrony 7
__global__ void old_reduction(int* out) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 32)
    s[threadIdx.x] += s[threadIdx.x + 1];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
int main() {
  int* p;
  cudaMalloc(&p, 64 * sizeof(int));
  old_reduction<<<1, 64>>>(p);
}
