// out-of-bounds 4
__global__ void fill(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = 1;
  out[threadIdx.x] = s[threadIdx.x];
}
int main() {
  int* p;
  cudaMalloc(&p, 32 * sizeof(int));
  fill<<<1, 32, 31 * sizeof(int)>>>(p);
}
