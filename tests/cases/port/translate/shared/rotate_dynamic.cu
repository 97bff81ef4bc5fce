// The block's elements, turned by one: the length of shared memory comes with the launch.
extern __shared__ float window[];
__global__ void rotate_dynamic(const float* in, float* out, int n) {
  int base = blockIdx.x * blockDim.x;
  int i = base + threadIdx.x;
  if (i < n) window[threadIdx.x] = in[i];
  __syncthreads();
  int count = min((int)blockDim.x, n - base);
  if (i < n) out[i] = window[(threadIdx.x + 1) % count];
}
void run(const float* in, float* out, int n) { rotate_dynamic<<<(n + 95) / 96, 96, 96 * sizeof(float)>>>(in, out, n); }
