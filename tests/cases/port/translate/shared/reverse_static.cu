__global__ void reverse_static(int* data, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int tr = n - t - 1;
  s[t] = data[t];
  __syncthreads();
  data[t] = s[tr];
}
void run(int* data) { reverse_static<<<1, 64>>>(data, 64); }
