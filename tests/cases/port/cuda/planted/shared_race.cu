// race 8
__global__ void neighbours(float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = 0;
  // A barrier is missing here.
  if (threadIdx.x >= 32)
    out[threadIdx.x] = s[threadIdx.x - 32];
}
int main() {
  float* p;
  cudaMalloc(&p, 64 * sizeof(float));
  neighbours<<<1, 64>>>(p);
}
