// divergent-barrier 4
__global__ void branches(int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();
    out[threadIdx.x] = 1;
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();
  }
}
int main() {
  int* p;
  cudaMalloc(&p, 64 * sizeof(int));
  branches<<<1, 64>>>(p);
}
