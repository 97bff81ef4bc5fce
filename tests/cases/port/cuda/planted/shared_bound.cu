// out-of-bounds 6
__global__ void shift(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + 1];
}
int main() {
  int* p;
  cudaMalloc(&p, 32 * sizeof(int));
  shift<<<1, 32>>>(p);
}
