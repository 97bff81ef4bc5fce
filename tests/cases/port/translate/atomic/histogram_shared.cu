// Bins of the block first, then those of the grid.
__global__ void histogram_shared(const int* data, int* bins, int n, int count) {
  extern __shared__ int local[];
  for (int b = threadIdx.x; b < count; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&local[data[i] % count], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < count; b += blockDim.x)
    if (local[b] > 0) atomicAdd(&bins[b], local[b]);
}
void run(const int* d, int* b, int n, int count) { histogram_shared<<<4, 128, count * 4>>>(d, b, n, count); }
