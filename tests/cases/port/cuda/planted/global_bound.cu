// out-of-bounds 4
__global__ void fill(int* out, int n) {
  const int i = threadIdx.x;
  if (i <= n) out[i] = i;
}
int main() {
  int* p;
  cudaMalloc(&p, 20 * sizeof(int));
  fill<<<1, 32>>>(p, 20);
}
