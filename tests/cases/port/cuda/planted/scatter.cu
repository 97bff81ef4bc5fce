// race 3
__global__ void scatter(int* out, const int* index) {
  out[index[threadIdx.x]] = (int)threadIdx.x;
}
int main() {
  int *p, *q;
  int index[64];
  for (int i = 0; i < 64; ++i) index[i] = i % 32;
  cudaMalloc(&p, 32 * sizeof(int));
  cudaMalloc(&q, sizeof index);
  cudaMemcpy(q, index, sizeof index, cudaMemcpyHostToDevice);
  scatter<<<1, 64>>>(p, q);
}
