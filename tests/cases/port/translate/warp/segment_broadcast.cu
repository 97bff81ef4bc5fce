// Width 8: each segment's first lane speaks.
__global__ void segment_broadcast(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float first = __shfl_sync(0xffffffff, x[i], 0, 8);
  y[i] = x[i] / (first + 2.0f);
}
void run(const float* x, float* y, int blocks) { segment_broadcast<<<blocks, 128>>>(x, y); }
