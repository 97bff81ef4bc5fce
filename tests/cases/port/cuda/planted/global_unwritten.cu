// uninitialised-read 3
__global__ void copy(int* out, const int* in) {
  out[threadIdx.x] = in[threadIdx.x];
}
int main() {
  int *p, *q;
  cudaMalloc(&p, 32 * sizeof(int));
  cudaMalloc(&q, 32 * sizeof(int));
  cudaMemset(q, 0, 31 * sizeof(int));
  copy<<<1, 32>>>(p, q);
}
