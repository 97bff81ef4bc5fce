template <typename T, int N>
__global__ void typed_fill(T* out, T value, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * N;
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (i + j < n) out[i + j] = value + (T)j;
}
void run(float* f, int* g, int n) {
  typed_fill<float, 4><<<(n + 255) / 256, 64>>>(f, 1.5f, n);
  typed_fill<int, 2><<<(n + 127) / 128, 64>>>(g, 7, n);
}
