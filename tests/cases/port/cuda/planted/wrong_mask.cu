// wrong-mask 5
__global__ void half_warp(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16)
    v = __shfl_down_sync(0xffffffffu, v, 1);
  __syncthreads();
  out[threadIdx.x] = v;
}
int main() {
  int* p;
  cudaMalloc(&p, 32 * sizeof(int));
  half_warp<<<1, 32>>>(p);
}
