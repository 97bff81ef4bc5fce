struct Best {
  float value;
  int at;
};
__device__ Best better(Best a, Best b) { return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a; }
// The largest element of each row, and where it stands.
__global__ void argmax_pairs(const float* x, int* at, int cols) {
  __shared__ Best s[64];
  Best mine = {-3.4e38f, 0};
  for (int c = threadIdx.x; c < cols; c += 64) {
    Best here = {x[blockIdx.x * cols + c], c};
    mine = better(mine, here);
  }
  s[threadIdx.x] = mine;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] = better(s[threadIdx.x], s[threadIdx.x + step]);
    __syncthreads();
  }
  if (threadIdx.x == 0) at[blockIdx.x] = s[0].at;
}
void run(const float* x, int* at, int rows, int cols) { argmax_pairs<<<rows, 64>>>(x, at, cols); }
